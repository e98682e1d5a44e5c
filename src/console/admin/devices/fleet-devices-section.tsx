import { useState } from 'react';
import {
  DEVICE_CONDITIONS,
  type DeviceCondition,
  type FleetDevice,
} from '../../../contract/http/fleet-device.ts';
import { NO_GROUP } from '../../../contract/http/group.ts';
import { modelName, platformName } from '../../devices/phone-facts.ts';
import { adminTexts } from '../../texts/admin.ts';
import { groupTexts } from '../../texts/groups.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Filters, NamedFilter } from '../../ui/filters.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { useFleetDevices, useGroupChoices, useHostChoices } from '../admin-queries.ts';
import { Identifier } from '../identifier.tsx';
import { operatorSentence } from '../operator-sentence.ts';
import { DeviceActions } from './device-actions.tsx';
import { type DeviceAction, DeviceDialog } from './device-dialogs.tsx';
import { ConditionBadge, DeviceStanding } from './device-standing.tsx';

const text = adminTexts.devices;

const CONDITIONS = DEVICE_CONDITIONS.map((id) => ({ id, name: text.conditions[id] }));
const conditionOf = (value: string): DeviceCondition | '' =>
  DEVICE_CONDITIONS.find((condition) => condition === value) ?? '';

/** Lists every phone that any host has or had, with its condition and the actions on it. */
export function FleetDevicesSection() {
  const address = useAddress(['q', 'condition', 'host', 'group']);
  const { filters, page, change } = address;
  const hosts = useHostChoices();
  const groups = useGroupChoices();
  const devices = useFleetDevices({
    search: filters.q,
    condition: conditionOf(filters.condition),
    host_id: filters.host,
    group_id: filters.group,
    page,
  });
  const [chosen, setChosen] = useState<{ device: FleetDevice; action: DeviceAction } | null>(null);
  return (
    <>
      <PageHeader title={text.title} detail={devices.data && text.count(devices.data.total)} />
      <Filters address={address}>
        <SearchField label={text.search} value={filters.q} onChange={(q) => change({ q })} />
        <NamedFilter
          label={text.condition}
          any={text.anyCondition}
          value={filters.condition}
          choices={CONDITIONS}
          onChange={(condition) => change({ condition })}
        />
        <NamedFilter
          label={text.host}
          any={text.anyHost}
          value={filters.host}
          choices={hosts}
          onChange={(host) => change({ host })}
        />
        {(groups.length > 0 || filters.group !== '') && (
          <NamedFilter
            label={groupTexts.filter}
            any={groupTexts.anyGroup}
            value={filters.group}
            choices={[{ id: NO_GROUP, name: groupTexts.inNone }, ...groups]}
            onChange={(group) => change({ group })}
          />
        )}
      </Filters>
      <Listing
        caption={text.title}
        query={devices}
        sentence={operatorSentence}
        columns={columns((device, action) => setChosen({ device, action }))}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.noneTitle, text: text.none }}
      />
      {chosen && <DeviceDialog {...chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

const columns = (
  onAction: (device: FleetDevice, action: DeviceAction) => void,
): readonly Column<FleetDevice>[] => [
  {
    title: text.phone,
    speaksForItself: true,
    className: 'w-52 xl:w-60',
    cell: (device) => (
      <>
        <p className="font-medium break-words">{device.name}</p>
        <p className="text-soft">{[modelName(device), platformName(device)].join(' · ')}</p>
        <Identifier id={device.id} />
      </>
    ),
  },
  {
    title: text.condition,
    className: 'w-32 xl:w-36',
    cell: (device) => <ConditionBadge device={device} />,
  },
  {
    title: text.standing,
    speaksForItself: true,
    cell: (device) => <DeviceStanding device={device} />,
  },
  { title: text.host, className: 'w-28 xl:w-36 break-words', cell: ({ host }) => host.name },
  {
    title: groupTexts.group,
    className: 'w-28 xl:w-32 break-words',
    cell: ({ group }) => group?.name ?? <span className="text-soft">{groupTexts.allAccounts}</span>,
  },
  {
    title: adminTexts.actions,
    className: 'w-20 text-right',
    cell: (device) => <DeviceActions device={device} onAction={(action) => onAction(device, action)} />,
  },
];
