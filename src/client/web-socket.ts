/**
 * The part of the WebSocket interface that the SDK uses. Browsers, Node from version 22 and the package `ws`
 * implement it.
 */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'error', listener: (event: object) => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

export type WebSocketClass = new (url: string, protocols?: string) => WebSocketLike;

/** `WebSocket.OPEN`; a class that a caller passes may lack the constant. */
export const OPEN = 1;

/** Longest wait for a connection to open: a network that drops packets reports no error. */
export const OPEN_TIMEOUT_MS = 10_000;

/** Returns the message of an `error` event, or an empty string in browsers, whose events have none. */
export function reasonOf(event: object): string {
  return 'message' in event && typeof event.message === 'string' ? event.message : '';
}
