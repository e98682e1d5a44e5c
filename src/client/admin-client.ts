import type { FleetWebhook } from '../contract/events/webhook.ts';
import type { Account } from '../contract/http/account.ts';
import type { AuditEntry } from '../contract/http/audit.ts';
import type { FleetDevice } from '../contract/http/fleet-device.ts';
import type { FleetSession } from '../contract/http/fleet-session.ts';
import type { Group } from '../contract/http/group.ts';
import type { CreatedHost, Host } from '../contract/http/host.ts';
import type { CreatedKey, Key } from '../contract/http/key.ts';
import type { OperationTypes } from '../contract/http/operations.ts';
import type { Page } from '../contract/http/page.ts';
import type { User } from '../contract/http/user.ts';
import type { Utilisation } from '../contract/http/utilisation.ts';
import { idempotencyHeader, type Sender, type WriteOptions } from './request.ts';

/** Timeout for an export of the whole audit trail, which is larger than other responses. */
const EXPORT_TIMEOUT_MS = 300_000;

type Query<Id extends keyof OperationTypes> = Partial<OperationTypes[Id]['query']>;
export type FleetDeviceQuery = Query<'admin.devices.list'>;
export type FleetDeviceChange = OperationTypes['admin.devices.update']['body'];
export type FleetSessionQuery = Query<'admin.sessions.list'>;
export type NewAccount = OperationTypes['admin.accounts.create']['body'];
export type AccountChange = OperationTypes['admin.accounts.update']['body'];
export type NewKey = OperationTypes['keys.create']['body'];
export type NewGroup = OperationTypes['admin.groups.create']['body'];
export type GroupChange = OperationTypes['admin.groups.update']['body'];
export type AuditQuery = Omit<Query<'admin.audit.list'>, 'format'>;
export type UserQuery = Query<'admin.users.list'>;
export type FleetWebhookChange = OperationTypes['admin.webhooks.update']['body'];
export type PageQuery = Query<'admin.hosts.list'>;

/**
 * The operations for operators, with a key of the role `admin`. Every method throws `ServiceError` when the request
 * fails.
 */
export class AdminClient {
  readonly #send: Sender;

  constructor(send: Sender) {
    this.#send = send;
  }

  listDevices(query: FleetDeviceQuery = {}, signal?: AbortSignal): Promise<Page<FleetDevice>> {
    return this.#send.json('/admin/devices', { query, signal });
  }

  /** Fields that the change omits keep their values. */
  updateDevice(deviceId: string, change: FleetDeviceChange, signal?: AbortSignal): Promise<FleetDevice> {
    return this.#send.json(path('devices', deviceId), { method: 'PATCH', body: change, signal });
  }

  /** Ends the running session of a device. The session's user sees the reason. */
  releaseDevice(deviceId: string, reason: string, signal?: AbortSignal): Promise<FleetSession> {
    const request = { method: 'POST', body: { reason }, signal } as const;
    return this.#send.json(`${path('devices', deviceId)}/release`, request);
  }

  async forgetDevice(deviceId: string, signal?: AbortSignal): Promise<void> {
    await this.#send.json(path('devices', deviceId), { method: 'DELETE', signal });
  }

  listGroups(query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Group>> {
    return this.#send.json('/admin/groups', { query, signal });
  }

  createGroup(group: NewGroup, { idempotencyKey, signal }: WriteOptions = {}): Promise<Group> {
    const headers = idempotencyHeader(idempotencyKey);
    return this.#send.json('/admin/groups', { method: 'POST', body: group, headers, signal });
  }

  /**
   * Fields that the change omits keep their values. `accounts` replaces the list of all accounts that can see the
   * group's devices.
   */
  updateGroup(groupId: string, change: GroupChange, signal?: AbortSignal): Promise<Group> {
    return this.#send.json(path('groups', groupId), { method: 'PATCH', body: change, signal });
  }

  /** Fails while the group contains devices. */
  async deleteGroup(groupId: string, signal?: AbortSignal): Promise<void> {
    await this.#send.json(path('groups', groupId), { method: 'DELETE', signal });
  }

  listHosts(query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Host>> {
    return this.#send.json('/admin/hosts', { query, signal });
  }

  /** Only this response contains the credential of the host. */
  createHost(name: string, signal?: AbortSignal): Promise<CreatedHost> {
    return this.#send.json('/admin/hosts', { method: 'POST', body: { name }, signal });
  }

  revokeHost(hostId: string, signal?: AbortSignal): Promise<Host> {
    return this.#send.json(path('hosts', hostId), { method: 'DELETE', signal });
  }

  listAccounts(query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Account>> {
    return this.#send.json('/admin/accounts', { query, signal });
  }

  createAccount(account: NewAccount, { idempotencyKey, signal }: WriteOptions = {}): Promise<Account> {
    const headers = idempotencyHeader(idempotencyKey);
    return this.#send.json('/admin/accounts', { method: 'POST', body: account, headers, signal });
  }

  /** Fields that the change omits keep their values. */
  updateAccount(accountId: string, change: AccountChange, signal?: AbortSignal): Promise<Account> {
    return this.#send.json(path('accounts', accountId), { method: 'PATCH', body: change, signal });
  }

  listKeys(accountId: string, query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Key>> {
    return this.#send.json(`${path('accounts', accountId)}/keys`, { query, signal });
  }

  createKey(accountId: string, key: NewKey, options: WriteOptions = {}): Promise<CreatedKey> {
    const { idempotencyKey, signal } = options;
    const headers = idempotencyHeader(idempotencyKey);
    return this.#send.json(`${path('accounts', accountId)}/keys`, {
      method: 'POST',
      body: key,
      headers,
      signal,
    });
  }

  revokeKey(keyId: string, signal?: AbortSignal): Promise<Key> {
    return this.#send.json(path('keys', keyId), { method: 'DELETE', signal });
  }

  listUsers(query: UserQuery = {}, signal?: AbortSignal): Promise<Page<User>> {
    return this.#send.json('/admin/users', { query, signal });
  }

  /** Revokes the user's keys and ends the sessions that those keys created. */
  disableUser(userId: string, signal?: AbortSignal): Promise<User> {
    const request = { method: 'POST', isRepeatable: true, signal } as const;
    return this.#send.json(`${path('users', userId)}/disable`, request);
  }

  enableUser(userId: string, signal?: AbortSignal): Promise<User> {
    const request = { method: 'POST', isRepeatable: true, signal } as const;
    return this.#send.json(`${path('users', userId)}/enable`, request);
  }

  listSessions(query: FleetSessionQuery = {}, signal?: AbortSignal): Promise<Page<FleetSession>> {
    return this.#send.json('/admin/sessions', { query, signal });
  }

  listWebhooks(query: Query<'admin.webhooks.list'> = {}, signal?: AbortSignal): Promise<Page<FleetWebhook>> {
    return this.#send.json('/admin/webhooks', { query, signal });
  }

  /**
   * Changes a webhook of any account. The account sees the reason, and cannot activate a webhook again that an
   * operator has deactivated.
   */
  updateWebhook(webhookId: string, change: FleetWebhookChange): Promise<FleetWebhook> {
    return this.#send.json(path('webhooks', webhookId), { method: 'PATCH', body: change });
  }

  getUtilisation(hours: number, signal?: AbortSignal): Promise<Utilisation> {
    return this.#send.json('/admin/utilisation', { query: { hours }, signal });
  }

  listAudit(query: AuditQuery = {}, signal?: AbortSignal): Promise<Page<AuditEntry>> {
    return this.#send.json('/admin/audit', { query, signal });
  }

  /** Returns all matching entries, one JSON object per line. */
  exportAudit(query: Omit<AuditQuery, 'page' | 'page_size'> = {}, signal?: AbortSignal): Promise<Blob> {
    const request = { query: { ...query, format: 'jsonl' }, signal, timeoutMs: EXPORT_TIMEOUT_MS };
    return this.#send.blob('/admin/audit', request);
  }
}

const path = (
  kind: 'devices' | 'groups' | 'hosts' | 'accounts' | 'keys' | 'users' | 'webhooks',
  id: string,
) => `/admin/${kind}/${encodeURIComponent(id)}`;
