import { type FormEvent, useState } from 'react';
import { AppPicker } from '../apps/app-picker.tsx';
import { useConnect, useUsage } from '../data/queries.ts';
import { randomId } from '../data/random-id.ts';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/message.tsx';
import { USUAL_DURATION } from './duration.ts';
import { DurationPicker } from './duration-picker.tsx';

const text = texts.connect;

interface ConnectDialogProps {
  device: { id: string; name: string };
  onClose(): void;
}

export function ConnectDialog({ device, onClose }: ConnectDialogProps) {
  const [duration, setDuration] = useState<number | null>(USUAL_DURATION);
  const [appId, setAppId] = useState('');
  const connect = useConnect();
  const remaining = useUsage().data?.minutes.remaining ?? null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (duration === null || connect.isPending) return;
    connect.mutate(
      { deviceId: device.id, duration, appId: appId === '' ? null : appId, idempotencyKey: randomId() },
      { onSuccess: (session) => navigate(`/sessions/${session.session_id}`) },
    );
  };
  return (
    <Dialog title={text.title(device.name)} onClose={onClose}>
      <form onSubmit={submit} className="space-y-5">
        <p className="text-soft">{text.explain}</p>
        <DurationPicker initial={USUAL_DURATION} onChange={setDuration} />
        <AppPicker value={appId} onChange={setAppId} />
        {remaining !== null && <p className="text-sm text-soft">{text.left(remaining)}</p>}
        <ErrorNote error={connect.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" look="primary" disabled={duration === null} busy={connect.isPending}>
            {connect.isPending ? text.submitting : text.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
