import { once } from 'node:events';
import type { Command } from 'commander';
import type { ReceivedEvent } from '../client/listen.ts';
import { print } from './output.ts';
import { addRemote, openService, type RemoteOptions } from './remote.ts';

interface EventsOptions extends RemoteOptions {
  jsonl?: boolean;
  lastEventId?: string;
}

/** `phonebooth events`: prints changes of the phones and of the account's sessions as they happen. */
export function addEventsCommand(program: Command): void {
  addRemote(program.command('events'))
    .description('print changes of phones and of the account’s sessions until Ctrl-C')
    .option('--jsonl', 'print one JSON object per line, with id, event and data')
    .option('--last-event-id <id>', 'start after this event, whose id an earlier line has')
    .action(events);
}

async function events(options: EventsOptions): Promise<void> {
  const { api } = await openService(options);
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) void once(process, signal).then(() => stopped.abort());
  const isTerminal = process.stderr.isTTY;
  const received = api.events({
    signal: stopped.signal,
    ...(options.lastEventId !== undefined && { lastEventId: options.lastEventId }),
    onConnected: (isConnected) => {
      if (isTerminal || !isConnected)
        process.stderr.write(
          isConnected ? 'Waiting for events. Press Ctrl-C to stop.\n' : 'Disconnected. Retrying.\n',
        );
    },
  });
  for await (const event of received) print(options.jsonl ? JSON.stringify(event) : describe(event));
}

function describe(received: ReceivedEvent): string {
  const { event, data } = received;
  switch (event) {
    case 'device.changed':
      return `${event} ${data.id} ${data.status}`;
    case 'device.removed':
      return `${event} ${data.id}`;
    case 'session.changed':
      return `${event} ${data.session_id} ${data.status}${data.end_reason ? ` (${data.end_reason})` : ''}`;
    case 'reset':
      return `${event}: events were missed; list the phones and sessions again`;
    default:
      return event;
  }
}
