import { useState } from 'react';
import { MAX_REASON_LENGTH } from '../../../contract/http/text-limits.ts';
import { adminTexts } from '../../texts/admin.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useReleaseDevice } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';

const text = adminTexts.devices;

interface ReleaseDialogProps {
  deviceId: string;
  deviceName: string;
  accountName: string;
  onClose(): void;
}

/** Ends another user's session. The reason is required, because it is the only explanation that this user gets. */
export function ReleaseDialog({ deviceId, deviceName, accountName, onClose }: ReleaseDialogProps) {
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const release = useReleaseDevice();
  const submit = () => {
    setMissing(reason.trim() === '');
    if (reason.trim() === '') return;
    release.mutate(
      { deviceId, reason: reason.trim() },
      {
        onSuccess: () => {
          toast(text.released(deviceName));
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={text.releaseTitle(deviceName)}
      explain={text.releaseExplain(accountName)}
      submit={text.releaseSubmit}
      danger
      pending={release.isPending}
      error={release.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.reasonField}
        problem={isMissing && reason.trim() === '' ? text.reasonMissing : null}
        value={reason}
        maxLength={MAX_REASON_LENGTH}
        autoComplete="off"
        onChange={setReason}
      />
    </FormDialog>
  );
}
