import { useState } from 'react';
import type { FleetDevice } from '../../../contract/http/fleet-device.ts';
import { groupTexts as text } from '../../texts/groups.ts';
import { Labelled } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useGroupChoices, useUpdateDevice } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';

/** Moves a phone into a group, or removes it from its group. */
export function GroupOfDeviceDialog({ device, onClose }: { device: FleetDevice; onClose(): void }) {
  const [groupId, setGroupId] = useState(device.group?.id ?? '');
  const groups = useGroupChoices();
  const choices = new Map(
    [...(device.group ? [device.group] : []), ...groups].map(({ id, name }) => [id, name]),
  );
  const update = useUpdateDevice();
  const submit = () =>
    update.mutate(
      { deviceId: device.id, change: { group_id: groupId || null } },
      {
        onSuccess: ({ name, group }) => {
          toast(text.moved(name, group?.name ?? null));
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={text.moveTitle(device.name)}
      explain={text.moveExplain}
      submit={text.moveSubmit}
      pending={update.isPending}
      error={update.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <Labelled label={text.moveField}>
        {({ label }) => (
          <Select
            labelledBy={label}
            value={groupId}
            options={[['', text.noGroup], ...choices]}
            onChange={setGroupId}
          />
        )}
      </Labelled>
    </FormDialog>
  );
}
