import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { App } from '../../contract/http/app.ts';
import { MAX_WAIT_S } from '../../contract/http/queue.ts';
import { AppPicker } from '../apps/app-picker.tsx';
import { useAppChoices } from '../data/app-queries.ts';
import { useConnect, useDevice, useUsage } from '../data/queries.ts';
import { randomId } from '../data/random-id.ts';
import { RecordFields, useRecordChoice } from '../replay/record-choice.tsx';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useWaiting } from '../waiting/use-waiting.ts';
import { connectOffer } from './connect-offer.ts';
import { USUAL_DURATION } from './duration.ts';
import { DurationPicker } from './duration-picker.tsx';
import { lastConnect, recordingOf, storeLastConnect } from './last-connect.ts';
import { useDuration } from './use-duration.ts';

const text = texts.connect;

interface ConnectDialogProps {
  device: { id: string; name: string };
  /** Why the phone could not be connected with one click. */
  refusal?: Error | null;
  onClose(): void;
}

/** Connects to one phone. If it is not available, offers to wait for one like it. */
export function ConnectDialog({ device: { id, name }, refusal = null, onClose }: ConnectDialogProps) {
  const [last] = useState(lastConnect);
  const duration = useDuration(last?.minutes ?? USUAL_DURATION);
  const [chosenApp, setApp] = useState(last?.app?.id ?? '');
  const record = useRecordChoice(recordingOf(last));
  const apps = useAppChoices().data?.items;
  // The last app may have been deleted since.
  const app = apps ? appOf(apps.find(({ id }) => id === chosenApp)) : last?.app;
  const appId = app?.id ?? '';
  const connect = useConnect();
  const [earlier, setEarlier] = useState(refusal);
  const failure = connect.error ?? (connect.isIdle ? earlier : null);
  const device = useConnectable(id, failure !== null, () => {
    connect.reset();
    setEarlier(null);
  });
  const { start } = useWaiting();
  const remaining = useUsage().data?.minutes.remaining ?? null;
  // The phone becomes busy before the response to the own request arrives.
  const isAnswered = connect.isIdle || connect.isError;
  const offer = device && isAnswered ? connectOffer(device.status, failure) : 'connect';
  const wait = (minutes: number) => {
    if (!device) return;
    const { brand, model, os_version } = device;
    const toInstall = appId === '' ? {} : { app_id: appId };
    start({ brand, model, os_version, duration: minutes, wait: MAX_WAIT_S, ...toInstall, ...record.choice });
    onClose();
  };
  const submit = () => {
    const { minutes } = duration;
    if (minutes === null) return;
    if (offer !== 'connect') return wait(minutes);
    connect.mutate(
      {
        deviceId: id,
        duration: minutes,
        appId: appId === '' ? null : appId,
        recording: record.choice,
        idempotencyKey: randomId(),
      },
      {
        onSuccess: (session) => {
          storeLastConnect({ minutes, app: app ?? null, ...recordingOf(record.choice) });
          navigate(`/sessions/${session.session_id}`);
        },
      },
    );
  };
  return (
    <FormDialog
      title={text.title(name)}
      explain={text.explain}
      submit={connect.isPending ? text.submitting : offer === 'connect' ? text.submit : text.wait}
      disabled={duration.minutes === null}
      pending={connect.isPending}
      error={offer === 'connect' ? failure : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <DurationPicker duration={duration} />
      <AppPicker value={appId} onChange={setApp} />
      <RecordFields {...record} />
      {remaining !== null && <p className="text-sm text-soft">{text.left(remaining)}</p>}
      {offer !== 'connect' && (
        <p role="status" className="rounded-lg bg-warn-tint px-3.5 py-2.5 text-sm text-warn">
          {text[offer](name)}
        </p>
      )}
    </FormDialog>
  );
}

const appOf = (app: App | undefined) => app && { id: app.id, name: `${app.name} ${app.version}`.trim() };

/** Returns the current state of the phone, and clears the error of a rejected connect when it is available again. */
function useConnectable(id: string, isError: boolean, reset: () => void) {
  const { data, refetch } = useDevice(id);
  useEffect(() => {
    // The cached list may be older than the service's response.
    if (isError) void refetch();
  }, [isError, refetch]);
  const status = data?.status;
  // A reset while the request is pending would discard its result.
  const forget = useEffectEvent(() => {
    if (isError) reset();
  });
  const before = useRef(status);
  useEffect(() => {
    if (before.current === 'busy' && status === 'available') forget();
    before.current = status;
  }, [status]);
  return data;
}
