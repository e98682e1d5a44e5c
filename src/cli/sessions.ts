import type { Command } from 'commander';
import type { Phonebooth } from '../client/phonebooth.ts';
import { SESSION_STATUSES, type Session, type SessionStatus } from '../contract/http/session.ts';
import { counted } from '../util/counted.ts';
import { addJson, addListJson, type ListOptions, printList, printResult, table } from './output.ts';
import { addRemote, addSession, findSessionId, minutes, openService, type RemoteOptions } from './remote.ts';

interface SessionsOptions extends RemoteOptions, ListOptions {
  all?: boolean;
  device?: string;
}

const LIVE: SessionStatus[] = SESSION_STATUSES.filter((status) => status !== 'disconnected');
const PAGE_SIZE = 100;

/** `phonebooth sessions`, `extend` and `disconnect`. */
export function addSessionCommands(program: Command): void {
  addRemote(addListJson(program.command('sessions')))
    .description('list the live sessions of the account with their id, phone, status, end and recording')
    .option('--all', 'also list sessions that have ended')
    .option('--device <id>', 'only sessions of this phone')
    .action(sessions);
  addSession(addJson(program.command('extend').description('extend a session by a number of minutes')))
    .argument('<minutes>', 'number of minutes to add', minutes)
    .action(extend);
  addSession(addJson(program.command('disconnect').description('end a session'))).action(disconnect);
}

async function sessions(options: SessionsOptions): Promise<void> {
  const service = await openService(options);
  await printList(options, sessionsOf(service, options), {
    empty: options.all ? 'No sessions.' : 'No live sessions.',
    text: describe,
  });
}

async function* sessionsOf(service: Phonebooth, { all, device }: SessionsOptions): AsyncGenerator<Session> {
  for (const status of all ? [undefined] : LIVE) {
    for (let page = 1; ; page += 1) {
      const query = { ...(status && { status }), ...(device && { device_id: device }) };
      const { items, total } = await service.api.listSessions({ ...query, page, page_size: PAGE_SIZE });
      yield* items;
      if (page * PAGE_SIZE >= total) break;
    }
  }
}

async function extend(duration: number, options: RemoteOptions): Promise<void> {
  const service = await openService(options);
  const session = await service.api.extend(await findSessionId(service, options), duration);
  printResult(options, session, `Session ${session.session_id} now ends at ${session.expires_at}.`);
}

async function disconnect(options: RemoteOptions): Promise<void> {
  const service = await openService(options);
  const session = await service.api.disconnect(await findSessionId(service, options));
  const charged = counted(session.minutes_charged ?? 0, 'minute');
  const recorded = session.recording
    ? ` Download its recording with: phonebooth artifacts download ${session.session_id} --wait 60`
    : '';
  printResult(options, session, `The session has ended; ${charged} charged.${recorded}`);
}

function describe(rows: Session[]): string {
  const cells = rows.map((row) => [
    row.session_id,
    row.device_id,
    row.status,
    row.created_at,
    row.ended_at ?? row.expires_at,
    row.end_reason ?? '-',
    row.recording?.status ?? '-',
  ]);
  return table([['ID', 'PHONE', 'STATUS', 'CREATED', 'ENDS', 'END REASON', 'RECORDING'], ...cells]);
}
