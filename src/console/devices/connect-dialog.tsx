import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { MAX_WAIT_S } from '../../contract/http/queue.ts';
import { AppPicker } from '../apps/app-picker.tsx';
import { useConnect, useDevice, useUsage } from '../data/queries.ts';
import { randomId } from '../data/random-id.ts';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/message.tsx';
import { useWaiting } from '../waiting/use-waiting.ts';
import { connectOffer } from './connect-offer.ts';
import { USUAL_DURATION } from './duration.ts';
import { DurationPicker } from './duration-picker.tsx';
import { useDuration } from './use-duration.ts';

const text = texts.connect;

interface ConnectDialogProps {
  device: { id: string; name: string };
  onClose(): void;
}

/** Connects to one phone. If it is not available, offers to wait for one like it. */
export function ConnectDialog({ device: { id, name }, onClose }: ConnectDialogProps) {
  const duration = useDuration(USUAL_DURATION);
  const [appId, setAppId] = useState('');
  const connect = useConnect();
  const device = useConnectable(id, connect);
  const { start } = useWaiting();
  const remaining = useUsage().data?.minutes.remaining ?? null;
  // The phone becomes busy before the response to the own request arrives.
  const isAnswered = connect.isIdle || connect.isError;
  const offer = device && isAnswered ? connectOffer(device.status, connect.error) : 'connect';
  const wait = (minutes: number) => {
    if (!device) return;
    const { brand, model, os_version } = device;
    const app = appId === '' ? {} : { app_id: appId };
    start({ brand, model, os_version, duration: minutes, wait: MAX_WAIT_S, ...app });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { minutes } = duration;
    if (minutes === null || connect.isPending) return;
    if (offer !== 'connect') return wait(minutes);
    connect.mutate(
      { deviceId: id, duration: minutes, appId: appId === '' ? null : appId, idempotencyKey: randomId() },
      { onSuccess: (session) => navigate(`/sessions/${session.session_id}`) },
    );
  };
  return (
    <Dialog title={text.title(name)} onClose={onClose}>
      <form onSubmit={submit} className="space-y-5">
        <p className="text-soft">{text.explain}</p>
        <DurationPicker duration={duration} />
        <AppPicker value={appId} onChange={setAppId} />
        {remaining !== null && <p className="text-sm text-soft">{text.left(remaining)}</p>}
        {offer === 'connect' ? (
          <ErrorNote error={connect.error} />
        ) : (
          <p role="status" className="rounded-lg bg-warn-tint px-3.5 py-2.5 text-sm text-warn">
            {text[offer](name)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" look="primary" disabled={duration.minutes === null} busy={connect.isPending}>
            {connect.isPending ? text.submitting : offer === 'connect' ? text.submit : text.wait}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the current state of the phone, and clears the error of a rejected connect when it is available again. */
function useConnectable(id: string, connect: Pick<ReturnType<typeof useConnect>, 'isError' | 'reset'>) {
  const { data, refetch } = useDevice(id);
  const { isError, reset } = connect;
  useEffect(() => {
    // The cached list may be older than the service's response.
    if (isError) void refetch();
  }, [isError, refetch]);
  const status = data?.status;
  // A reset while the request is pending would discard its result.
  const forget = useEffectEvent(() => {
    if (isError) reset();
  });
  useEffect(() => {
    if (status === 'available') forget();
  }, [status]);
  return data;
}
