import { useId, useState } from 'react';
import { MAX_WAIT_S } from '../../contract/http/queue.ts';
import { USUAL_DURATION } from '../devices/duration.ts';
import { DurationPicker } from '../devices/duration-picker.tsx';
import { lastConnect, recordingOf } from '../devices/last-connect.ts';
import { platformName, vendorName } from '../devices/phone-facts.ts';
import { useDuration } from '../devices/use-duration.ts';
import { RecordFields, useRecordChoice } from '../replay/record-choice.tsx';
import { texts } from '../texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Select } from '../ui/select.tsx';
import { useWaiting } from './use-waiting.ts';

const text = texts.waiting;
const PATIENCES_S = [60, 300, MAX_WAIT_S];

/** Required properties of a phone. An empty value matches any phone. */
export interface Likeness {
  brand: string;
  model: string;
  os: string;
}

interface AnyPhoneDialogProps {
  like: Likeness;
  /** Name of the phone whose properties were taken, or null if there is none. */
  name: string | null;
  onClose(): void;
}

/** Requests the first available phone that matches. */
export function AnyPhoneDialog({ like, name, onClose }: AnyPhoneDialogProps) {
  const { start } = useWaiting();
  const [needs, setNeeds] = useState(like);
  const duration = useDuration(USUAL_DURATION);
  const [last] = useState(lastConnect);
  const record = useRecordChoice(recordingOf(last));
  const [maxWait, setMaxWait] = useState(MAX_WAIT_S);
  const maxWaitLabel = useId();
  const submit = () => {
    if (duration.minutes === null) return;
    const { brand, model, os } = needs;
    start({ brand, model, os_version: os, duration: duration.minutes, wait: maxWait, ...record.choice });
    onClose();
  };
  return (
    <FormDialog
      title={name === null ? text.title : text.titleLike(name)}
      explain={text.explain}
      submit={text.submit}
      disabled={duration.minutes === null}
      pending={false}
      error={null}
      onSubmit={submit}
      onClose={onClose}
    >
      <Needs like={like} needs={needs} onChange={setNeeds} />
      <DurationPicker duration={duration} />
      <RecordFields {...record} />
      <div className="flex items-center justify-between gap-3">
        <span id={maxWaitLabel} className="font-medium">
          {text.maxWait}
        </span>
        <Select
          className="w-40"
          labelledBy={maxWaitLabel}
          value={String(maxWait)}
          options={PATIENCES_S.map((seconds) => [String(seconds), text.maxWaitChoice(seconds)] as const)}
          onChange={(seconds) => setMaxWait(Number(seconds))}
        />
      </div>
    </FormDialog>
  );
}

interface NeedsProps {
  like: Likeness;
  needs: Likeness;
  onChange(needs: Likeness): void;
}

/** Each requirement can be removed, so that more phones match. */
function Needs({ like, needs, onChange }: NeedsProps) {
  const choices = [
    { field: 'brand', label: text.brand(vendorName(like.brand)) },
    { field: 'model', label: text.model(like.model) },
    { field: 'os', label: platformName({ platform: 'android', os_version: like.os }) },
  ] as const;
  const offered = choices.filter(({ field }) => like[field] !== '');
  if (offered.length === 0) return <p>{text.anything}</p>;
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{text.needs}</legend>
      {offered.map(({ field, label }) => (
        <label key={field} className="flex min-h-control-sm cursor-pointer items-center gap-2.5">
          <input
            type="checkbox"
            className="size-4.5 accent-strong"
            checked={needs[field] !== ''}
            onChange={({ target }) => onChange({ ...needs, [field]: target.checked ? like[field] : '' })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
