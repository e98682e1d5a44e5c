import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { BusRequests } from '../../bus/messages.ts';
import type { Link, LinkMessage } from '../../link/link.ts';
import { LinkProtocolError, parseAppReply } from '../../link/messages.ts';
import { withDeadline } from '../../util/deadline.ts';
import { Slots } from '../../util/slots.ts';
import type { ControlPlaneContext } from '../context.ts';

type App = BusRequests['control-plane.app'];

/** A host dials immediately after its request. */
const DIAL_TIMEOUT_MS = 10_000;
const CHUNK_BYTES = 256 * 1024;
/**
 * Maximum number of chunks sent and not yet acknowledged by the host. It is enough to fill a link of high bandwidth
 * and latency.
 */
const MAX_UNACKNOWLEDGED = 16;
/** The transfer is aborted when the host acknowledges nothing for this long. */
const STALL_TIMEOUT_MS = 30_000;
/**
 * Transfers in progress, by session. A phone installs one app at a time. Without this limit, a host could use all links
 * of this process.
 */
const TRANSFERS = new Slots({ total: Number.POSITIVE_INFINITY, perSubject: 4 });

/**
 * Handles a host's request for an app that one of its leases needs. The response describes the app and where to dial
 * for its files. A host can only request apps of the account that holds the lease.
 */
export async function handleAppRequest(
  { store, appFiles, tickets, log }: Pick<ControlPlaneContext, 'store' | 'appFiles' | 'tickets' | 'log'>,
  { sessionId, epoch, appId }: App['request'],
  hostId: string,
): Promise<App['response']> {
  const session = await store.getSession(sessionId);
  const isTheirs = session?.hostId === hostId && session.epoch === epoch && session.status !== 'disconnected';
  if (!isTheirs) throw new Error(`host ${hostId} no longer serves session ${sessionId} (epoch ${epoch})`);
  const app = await store.getKeptApp(appId);
  if (!app || app.accountId !== session.accountId) throw new Error('the app was deleted; upload it again');
  const paths = await appFiles.list(appId);
  const files = await Promise.all(
    paths.map(async (path) => ({ name: basename(path), bytes: (await stat(path)).size })),
  );
  const release = TRANSFERS.reserve(sessionId);
  if (typeof release === 'string')
    throw new Error(`${TRANSFERS.perSubject} transfers of apps are in progress for session ${sessionId}`);
  const { ticket, cancel } = tickets.issue({ sessionId, epoch, purpose: 'app' }, (link) => {
    clearTimeout(expiry);
    void sendFiles(link, paths)
      .catch((error: unknown) => {
        log.warn({ err: error, appId, hostId }, 'transfer of an app to a host failed');
        link.close();
      })
      .finally(release);
  });
  const expiry = setTimeout(() => {
    cancel();
    release();
  }, DIAL_TIMEOUT_MS).unref();
  const { packageName, name, version, minSdk, iconType } = app;
  return { packageName, name, version, minSdk, iconType, files, ingest: tickets.ingest, ticket };
}

/**
 * Sends the files one after the other. A chunk never contains bytes of two files. The host closes the link when it
 * has received all of them.
 * @throws TimeoutError when the host neither acknowledges chunks nor closes the link
 */
async function sendFiles(link: Link, paths: string[]): Promise<void> {
  let unacknowledged = 0;
  let wake = () => {};
  link.onMessage((message) => {
    unacknowledged -= takenBy(link, message);
    wake();
  });
  link.onClose(() => wake());
  const progress = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    return withDeadline(promise, STALL_TIMEOUT_MS, 'the host stopped reading the app');
  };
  for (const path of paths) {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      while (unacknowledged >= MAX_UNACKNOWLEDGED && !link.closed) await progress();
      if (link.closed) return;
      // Without this limit, a host that acknowledges chunks it did not read would make this process buffer the rest
      // of the file.
      if (link.bufferedBytes > MAX_UNACKNOWLEDGED * CHUNK_BYTES)
        throw new Error('the host requested fewer bytes than it declared');
      link.send(chunk as Buffer);
      unacknowledged += 1;
    }
  }
  while (!link.closed) await progress();
}

function takenBy(link: Link, message: LinkMessage): number {
  try {
    return parseAppReply(message).taken;
  } catch (error) {
    if (!(error instanceof LinkProtocolError)) throw error;
    link.close();
    return 0;
  }
}
