import { useState } from 'react';
import { type RecordingChoice, useUsage } from '../data/queries.ts';
import { replayTexts as text } from '../texts/replay.ts';

/** Whether a new session is recorded, as the user chooses it in a dialog. */
export interface RecordControl {
  isOn: boolean;
  withText: boolean;
  /** The fields of the request. */
  choice: RecordingChoice;
  change(choice: RecordingChoice): void;
}

/** Starts with the choice of the last connect, or else with the default of the account. */
export function useRecordChoice(last: RecordingChoice): RecordControl {
  const [choice, setChoice] = useState<RecordingChoice>(last);
  const isDefault = useUsage().data?.record_sessions ?? false;
  const isOn = choice.record ?? isDefault;
  return {
    isOn,
    withText: isOn && choice.record_text === true,
    choice:
      isOn && choice.record_text ? choice : { ...(choice.record !== undefined && { record: choice.record }) },
    change: (next) => setChoice({ ...choice, ...next }),
  };
}

const CHECKBOX = 'mt-0.5 size-4.5 shrink-0 accent-strong';
const LABEL = 'flex min-h-control-sm cursor-pointer gap-2.5 py-1.5';

export function RecordFields({ isOn, withText, change }: RecordControl) {
  return (
    <div>
      <label className={LABEL}>
        <input
          type="checkbox"
          className={CHECKBOX}
          checked={isOn}
          onChange={({ target }) => change({ record: target.checked })}
        />
        <span>
          {text.record}
          {isOn && <span className="block text-sm text-soft">{text.recordHint}</span>}
        </span>
      </label>
      {isOn && (
        <label className={`${LABEL} ml-7`}>
          <input
            type="checkbox"
            className={CHECKBOX}
            checked={withText}
            onChange={({ target }) => change({ record_text: target.checked })}
          />
          <span>
            {text.recordText}
            {withText && <span className="block text-sm text-warn">{text.recordTextHint}</span>}
          </span>
        </label>
      )}
    </div>
  );
}
