/** The parameters of a watch page: the path of a session's stream on this service, and the name of the phone. */
export interface WatchTarget {
  /** `/stream/<token>/<session_id>` */
  path: string;
  name: string;
}

/** The path of a stream address of this service. */
const STREAM_PATH = /^\/stream\/[A-Za-z0-9_.-]{1,128}\/[A-Za-z0-9_-]{1,128}$/;
const MAX_NAME_LENGTH = 100;

/**
 * Returns the address of the page on which a browser shows a stream. The stream's address contains the token, so it
 * is in the fragment after the `#`, which browsers do not send to a server.
 * @param origin of the console: `https://phones.example.com`
 */
export function watchPage(origin: string, { streamUrl, name }: { streamUrl: string; name: string }): string {
  return `${origin}/watch#${new URLSearchParams({ ...(name && { name }), stream: streamUrl })}`;
}

/**
 * Parses the fragment after the `#`; null when it does not name a stream. Only the path of the stream's address is
 * used: the page connects to the service that it was loaded from, whatever host the link names.
 */
export function readWatchPage(fragment: string): WatchTarget | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const streamUrl = fields.get('stream') ?? '';
  if (!URL.canParse(streamUrl)) return null;
  const { protocol, pathname, search, username } = new URL(streamUrl);
  const isSocket = protocol === 'wss:' || protocol === 'ws:';
  if (!isSocket || !STREAM_PATH.test(pathname) || search !== '' || username !== '') return null;
  return { path: pathname, name: (fields.get('name') ?? '').slice(0, MAX_NAME_LENGTH) };
}
