import { type Command, Option } from 'commander';
import type { PhoneboothClient } from '../client/phonebooth-client.ts';
import { ARTIFACT_KINDS, type Artifact, type ArtifactKind } from '../contract/http/artifact.ts';
import { counted } from '../util/counted.ts';
import { folderName, saveArtifacts } from './artifact-files.ts';
import {
  addJson,
  addListJson,
  type ListOptions,
  printable,
  printList,
  printResult,
  table,
} from './output.ts';
import { Progress } from './progress.ts';
import { addRemote, minutes, openService, type RemoteOptions, seconds } from './remote.ts';

interface KindOptions extends RemoteOptions {
  kind?: ArtifactKind;
}

interface DownloadOptions extends KindOptions {
  to?: string;
  force?: boolean;
  wait?: number;
}

/** `phonebooth artifacts`: the artifacts of recorded sessions. */
export function addArtifactsCommand(program: Command): void {
  const artifacts = program
    .command('artifacts')
    .description(
      'list, download, share and delete the recording of a session: videos, events, log and screenshots',
    );
  const kind = () => new Option('--kind <kind>', 'only artifacts of this kind').choices(ARTIFACT_KINDS);
  addRemote(addListJson(artifacts.command('list <session>')))
    .description('list the artifacts of a session with their kind, name, size, time and id')
    .addOption(kind())
    .action(list);
  addRemote(addJson(artifacts.command('download <session>')))
    .description(
      'download the artifacts of a session; a repeated download resumes, and skips files that are complete',
    )
    .option('--to <folder>', 'folder for the files (default: one with the id of the session)')
    .addOption(kind())
    .option('--wait <seconds>', 'wait until the recording is complete, at most 600 s', seconds)
    .option('--force', 'replace files that exist')
    .action(download);
  addRemote(addJson(artifacts.command('share <session>')))
    .description(
      'create a link with which anyone can see the recording, and print its URL, which is not shown again',
    )
    .option('--minutes <n>', 'minutes until the link expires (default: one day)', minutes)
    .action(share);
  addRemote(addJson(artifacts.command('delete <session> [artifact]')))
    .description('delete one artifact, or all artifacts of a session')
    .addOption(kind())
    .action(remove);
}

async function list(sessionId: string, options: KindOptions & ListOptions): Promise<void> {
  const { api } = await openService(options);
  await reportProgress(api, sessionId);
  await printList(options, await artifactsOf(api, sessionId, options), {
    empty: 'No artifacts.',
    text: describe,
  });
}

function describe(artifacts: Artifact[]): string {
  const inSeconds = (ms: number | null) => (ms === null ? '-' : `${(ms / 1000).toFixed(1)} s`);
  const cells = artifacts.map(({ kind, name, size, offset_ms, duration_ms, id }) => [
    ...[kind, name, String(size), inSeconds(offset_ms), inSeconds(duration_ms), id],
  ]);
  return table([['KIND', 'NAME', 'BYTES', 'BEGINS AT', 'LENGTH', 'ID'], ...cells]);
}

async function download(sessionId: string, options: DownloadOptions): Promise<void> {
  const { api } = await openService(options);
  if (options.wait !== undefined) await api.waitForRecording(sessionId, { timeoutMs: options.wait * 1000 });
  await reportProgress(api, sessionId);
  const artifacts = await artifactsOf(api, sessionId, options);
  if (artifacts.length === 0) throw new Error(`session ${sessionId} has no artifacts to download`);
  const folder = options.to ?? folderName(sessionId);
  const progress = new Progress(process.stderr);
  const saved = await saveArtifacts(
    api,
    { sessionId, folder, artifacts },
    {
      force: options.force ?? false,
      onProgress: ({ name, size }, bytes) => progress.show(name, size > 0 ? bytes / size : null),
    },
  ).finally(() => progress.done());
  const fresh = saved.filter(({ downloaded }) => downloaded).length;
  const others = saved.length - fresh;
  const kept = others > 0 ? ` Skipped ${counted(others, 'complete file')}.` : '';
  printResult(options, saved, `Downloaded ${counted(fresh, 'file')} to ${folder}.${kept}`);
}

async function share(sessionId: string, options: RemoteOptions & { minutes?: number }): Promise<void> {
  const { api } = await openService(options);
  const { minutes: expires_in } = options;
  const link = await api.createRecordingLink(sessionId, expires_in === undefined ? {} : { expires_in });
  printResult(
    options,
    link,
    `${link.page}\n\nWatch link ${link.id}. Anyone with this URL can see the recording until ${link.expires_at}, or ` +
      `until you revoke it with phonebooth watch-links revoke ${link.id} --session ${sessionId}.`,
  );
}

async function remove(
  sessionId: string,
  artifactId: string | undefined,
  options: KindOptions,
): Promise<void> {
  const { api } = await openService(options);
  const ids =
    artifactId === undefined
      ? (await artifactsOf(api, sessionId, options)).map(({ id }) => id)
      : [artifactId];
  for (const id of ids) await api.deleteArtifact(sessionId, id);
  printResult(options, { deleted: ids }, `Deleted ${counted(ids.length, 'artifact')}.`);
}

async function artifactsOf(
  api: Pick<PhoneboothClient, 'listArtifacts'>,
  sessionId: string,
  { kind }: KindOptions,
): Promise<Artifact[]> {
  const { items } = await api.listArtifacts(sessionId);
  return items.filter((artifact) => kind === undefined || artifact.kind === kind);
}

/** Explains why a list of artifacts is incomplete. */
async function reportProgress(api: Pick<PhoneboothClient, 'getSession'>, sessionId: string): Promise<void> {
  const { recording } = await api.getSession(sessionId);
  const state =
    recording === null
      ? 'The session is not recorded.'
      : {
          recording: 'The session has not ended, so its recording is not complete.',
          processing: 'The recording is being uploaded, so it is not complete.',
          failed: 'The recording failed.',
          complete: null,
        }[recording.status];
  const detail = recording?.detail == null ? null : `Details: ${recording.detail}.`;
  const text = [state, detail].filter((part) => part !== null).join(' ');
  if (text !== '') process.stderr.write(`${printable(text)}\n`);
}
