import { useId, useState } from 'react';
import { texts } from '../texts.ts';
import { DURATION_CHOICES, parseMinutes } from './duration.ts';

const text = texts.duration;
const CHOICE =
  'grid h-11 cursor-pointer place-items-center rounded-lg border border-line text-sm font-medium hover:border-edge has-checked:border-strong has-checked:bg-strong has-checked:text-on-strong has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus';

interface DurationPickerProps {
  initial: number;
  /** Receives minutes, or null while the typed text is not a valid duration. */
  onChange(minutes: number | null): void;
}

export function DurationPicker({ initial, onChange }: DurationPickerProps) {
  const [choice, setChoice] = useState<number | 'custom'>(initial);
  const [typed, setTyped] = useState('45');
  const group = useId();
  const choose = (next: number | 'custom') => {
    setChoice(next);
    onChange(next === 'custom' ? parseMinutes(typed) : next);
  };
  const type = (next: string) => {
    setTyped(next);
    onChange(parseMinutes(next));
  };
  return (
    <fieldset>
      <legend className="mb-2 font-medium">{text.legend}</legend>
      <div className="grid grid-cols-5 gap-1.5">
        {[...DURATION_CHOICES, 'custom' as const].map((option) => (
          <label key={option} className={CHOICE}>
            <input
              type="radio"
              name={group}
              className="sr-only"
              checked={choice === option}
              onChange={() => choose(option)}
            />
            {option === 'custom' ? text.custom : text.choice(option)}
          </label>
        ))}
      </div>
      {choice === 'custom' && <CustomMinutes typed={typed} onType={type} />}
    </fieldset>
  );
}

function CustomMinutes({ typed, onType }: { typed: string; onType(typed: string): void }) {
  const field = useId();
  const invalid = parseMinutes(typed) === null;
  return (
    <div className="appear mt-3">
      <div className="flex items-center gap-3">
        <label htmlFor={field} className="text-sm">
          {text.customField}
        </label>
        <input
          id={field}
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          value={typed}
          onChange={(event) => onType(event.target.value)}
          aria-invalid={invalid}
          aria-describedby={`${field}-problem`}
          className="h-10 w-24 rounded-lg border border-edge bg-panel px-3 tabular-nums"
        />
      </div>
      <p id={`${field}-problem`} role="alert" className="mt-1.5 text-sm text-bad empty:hidden">
        {invalid && text.invalid}
      </p>
    </div>
  );
}
