import { type Command, Option } from 'commander';
import type { Host } from '../contract/http/host.ts';
import type { HostAdmin } from '../operator/host-admin.ts';
import { counted } from '../util/counted.ts';
import {
  addJson,
  addListJson,
  type JsonOptions,
  type ListOptions,
  label,
  print,
  printList,
  printResult,
  table,
} from './output.ts';
import { addStoreSettings, configFrom } from './settings.ts';

const SECOND_MS = 1_000;

/** `phonebooth hosts`: manages machines with phones that join over NATS, directly in this data folder or database. */
export function addHostsCommand(program: Command): void {
  const hosts = program
    .command('hosts')
    .description('add, list and revoke device hosts, which join over NATS, and move devices between them');
  addStoreSettings(
    addJson(hosts.command('add')).description(
      'add a host and print its credential, which is not shown again',
    ),
  )
    .addOption(new Option('--name <name>', 'name of the host').argParser(label).makeOptionMandatory())
    .action(add);
  addStoreSettings(
    addListJson(hosts.command('list')).description(
      'list hosts with their id, name, number of phones and last report',
    ),
  ).action(list);
  addStoreSettings(
    addJson(hosts.command('revoke <id>')).description(
      'revoke a host; its sessions end and its reports are rejected',
    ),
  ).action(revoke);
  addStoreSettings(
    addJson(hosts.command('move-device <device> <host>')).description(
      'move a device to another host; it is offline until that host reports it',
    ),
  ).action(moveDevice);
  addStoreSettings(
    hosts
      .command('nats-config')
      .description('print the NATS configuration that lets the control plane and each host connect'),
  ).action(natsConfig);
}

/** Loaded on demand: the other commands do not need NATS. */
async function open(options: object): Promise<HostAdmin> {
  const { HostAdmin } = await import('../operator/host-admin.ts');
  return HostAdmin.open(configFrom(options));
}

async function add(options: JsonOptions & { name: string }): Promise<void> {
  await using admin = await open(options);
  const { credential, host } = await admin.add(options.name);
  printResult(
    options,
    { credential, host },
    `${credential}

Added host ${host.id} (${host.name}). The credential above is not shown again.
1. Write the NATS configuration and reload the NATS server: phonebooth hosts nats-config > hosts.conf && nats-server --signal reload
2. Start the host: PHONEBOOTH_HOST_CREDENTIAL=… PHONEBOOTH_NATS_URL=… phonebooth agent`,
  );
}

async function list(options: ListOptions): Promise<void> {
  await using admin = await open(options);
  await printList(options, await admin.list(), { empty: 'No hosts.', text: describe });
}

async function revoke(id: string, options: JsonOptions): Promise<void> {
  await using admin = await open(options);
  const revoked = await admin.revoke(id);
  if (!revoked) throw new Error(`host ${id} does not exist; list the hosts with phonebooth hosts list`);
  printResult(
    options,
    revoked.host,
    `Revoked host ${revoked.host.name}; ${counted(revoked.ended, 'live session')} ended. Update the NATS configuration too: phonebooth hosts nats-config > hosts.conf && nats-server --signal reload`,
  );
}

async function moveDevice(deviceId: string, hostId: string, options: JsonOptions): Promise<void> {
  await using admin = await open(options);
  const { isMoved, hostName } = await admin.moveDevice(deviceId, hostId);
  printResult(
    options,
    { id: deviceId, host: { id: hostId, name: hostName } },
    isMoved
      ? `Moved device ${deviceId} to host ${hostName}. It is offline until that host reports it.`
      : `Device ${deviceId} is already a device of host ${hostName}.`,
  );
}

async function natsConfig(options: object): Promise<void> {
  await using admin = await open(options);
  print(await admin.natsConfig());
}

function describe(hosts: Host[]): string {
  const cells = hosts.map((host) => {
    const { available, busy, maintenance } = host.phones;
    return [host.id, host.name, String(available + busy + maintenance), lastReport(host)];
  });
  return table([['ID', 'NAME', 'PHONES', 'LAST REPORT'], ...cells]);
}

function lastReport({ state, last_seen: lastSeen }: Host): string {
  if (state === 'revoked') return 'revoked';
  if (lastSeen === null) return 'never';
  const ago = `${Math.max(0, Math.round((Date.now() - Date.parse(lastSeen)) / SECOND_MS))} s ago`;
  return state === 'silent' ? `${ago}, lost` : ago;
}
