/** The address of a session's stream, and what its phone is called: all that a viewer needs. */
export interface Watched {
  streamUrl: string;
  name: string;
}

/** The path of a stream's address, as the service gives it. */
const STREAM_PATH = /^\/stream\/[A-Za-z0-9_-]{1,128}\/[A-Za-z0-9_-]{1,128}$/;
const LONGEST_NAME = 100;

/**
 * An address of this console at which a session is watched. The stream's address holds the token, so it is behind the `#`:
 * browsers send that to no server, and name it to no other page.
 */
export function watchLink(origin: string, { streamUrl, name }: Watched): string {
  return `${origin}/watch#${new URLSearchParams({ name, stream: streamUrl })}`;
}

/** Reads what is behind the `#`; null when it names no stream. */
export function readWatchLink(fragment: string): Watched | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const streamUrl = fields.get('stream') ?? '';
  if (!URL.canParse(streamUrl)) return null;
  const { protocol, pathname, search, username } = new URL(streamUrl);
  const isSocket = protocol === 'wss:' || protocol === 'ws:';
  if (!isSocket || !STREAM_PATH.test(pathname) || search !== '' || username !== '') return null;
  return { streamUrl, name: (fields.get('name') ?? '').slice(0, LONGEST_NAME) };
}
