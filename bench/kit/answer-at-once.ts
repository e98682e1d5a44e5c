import type { Link } from '../../src/link/link.ts';
import { type ControlCall, encodeLinkMessage } from '../../src/link/messages.ts';

/** The phone's end of a control link. It answers every command immediately. */
export function answerAtOnce(link: Link): void {
  link.onMessage((message) => {
    if (typeof message !== 'string') return;
    const { id } = JSON.parse(message) as ControlCall;
    link.send(encodeLinkMessage({ type: 'result', id, result: {} }));
  });
  link.send(encodeLinkMessage({ type: 'ready', width: 1080, height: 2400, capabilities: ['tap', 'text'] }));
}
