import type { Command } from 'commander';
import type { WatchLink } from '../contract/http/watch-link.ts';
import { addJson, addListJson, type ListOptions, printList, printResult, table } from './output.ts';
import { addSession, findSessionId, openService, type RemoteOptions } from './remote.ts';

/** `phonebooth watch-links`: manages links with which anyone can watch a session's screen. */
export function addWatchLinksCommand(program: Command): void {
  const links = program
    .command('watch-links')
    .description('let others watch a session’s screen, without a key and without control');
  const add = (words: string, description: string, withJson = addJson) =>
    addSession(withJson(links.command(words).description(description)));
  add('create', 'create a link and print its URLs, which are not shown again').action(create);
  add('list', 'list the links of a session, newest first', addListJson).action(list);
  add('revoke <id>', 'revoke a link; the session continues').action(revoke);
}

async function create(options: RemoteOptions): Promise<void> {
  const service = await openService(options);
  const sessionId = await findSessionId(service, options);
  const { device_id } = await service.api.getSession(sessionId);
  // The phone may have been moved to a group that this account cannot see. The link works without its name.
  const { name } = await service.api.getDevice(device_id).catch(() => ({ name: '' }));
  const link = await service.api.createWatchLink(sessionId);
  const page = service.api.watchPage(link, name);
  printResult(
    options,
    { ...link, page },
    `${page}\n\nFor programs: ${link.stream_url}\n\nWatch link ${link.id}. Anyone with one of these URLs ` +
      'can watch until the session ends or the link is revoked. They are not shown again.',
  );
}

async function list(options: RemoteOptions & ListOptions): Promise<void> {
  const service = await openService(options);
  const { items } = await service.api.listWatchLinks(await findSessionId(service, options), {
    page_size: 100,
  });
  await printList(options, items, { empty: 'No watch links.', text: describe });
}

function describe(links: WatchLink[]): string {
  const cells = links.map((link) => [link.id, stateOf(link), link.created_at, creatorOf(link)]);
  return table([['ID', 'STATE', 'CREATED', 'BY'], ...cells]);
}

async function revoke(id: string, options: RemoteOptions): Promise<void> {
  const service = await openService(options);
  const link = await service.api.revokeWatchLink(await findSessionId(service, options), id);
  printResult(options, link, `Revoked ${link.id}; the session continues.`);
}

const stateOf = ({ revoked_at }: WatchLink) => (revoked_at === null ? 'active' : 'revoked');
const creatorOf = ({ user, created_by }: WatchLink) => user?.name ?? created_by.name;
