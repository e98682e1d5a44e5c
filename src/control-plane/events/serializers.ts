import type { SocketAddressContext } from '../../access/socket-address.ts';
import type { EventData, EventName, WebhookData } from '../../contract/events/event.ts';
import type { Principal } from '../../store/accounts/account-store.ts';
import { toDevice } from '../views/device-view.ts';
import { sessionFacts, toSessionEvent } from '../views/session-view.ts';
import type { ChangedRows } from './changed-rows.ts';

export type Listener = Pick<Principal, 'accountId' | 'keyId' | 'role'>;

interface Serializer<Name extends EventName> {
  /** Returns the data of the event for one client of `GET /events`. */
  toListener(
    id: string,
    rows: ChangedRows,
    context: SocketAddressContext,
    listener: Listener,
  ): EventData[Name];
  /** The data contains values that are bound to the client's key, so it is not shared between clients. */
  dependsOnKey: boolean;
  /** Returns the data of the event for a webhook message, without secrets. */
  toWebhook(id: string, rows: ChangedRows): WebhookData[Name];
}

/** How the data of each event is made from the current rows of what changed. */
export const SERIALIZERS: { readonly [Name in EventName]: Serializer<Name> } = {
  'device.changed': forAll((id, { devices }) => toDevice(devices.get(id)!)),
  'device.removed': forAll((id) => ({ id })),
  'session.changed': {
    toListener: (id, { sessions }, context, listener) => toSessionEvent(context, sessions.get(id)!, listener),
    dependsOnKey: true,
    toWebhook: (id, { sessions }) => sessionFacts(sessions.get(id)!),
  },
  reset: forAll(() => ({})),
};

function forAll<Data>(data: (id: string, rows: ChangedRows) => Data) {
  return { toListener: data, dependsOnKey: false, toWebhook: data };
}
