import { useId, useState } from 'react';
import { texts } from '../texts.ts';
import { DURATION_CHOICES, firstDuration, parseMinutes } from './duration.ts';
import type { DurationChoice } from './use-duration.ts';

const text = texts.duration;
const CHOICE =
  'grid h-control cursor-pointer place-items-center rounded-lg border border-line text-sm font-medium whitespace-nowrap hover:border-edge has-checked:border-strong has-checked:bg-strong has-checked:text-on-strong forced-colors:has-checked:border-4 has-disabled:cursor-not-allowed has-disabled:opacity-45 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus';

export function DurationPicker({ duration: { usual, most, choose } }: { duration: DurationChoice }) {
  const [chosen, setChosen] = useState<number | 'custom' | null>(null);
  const first = firstDuration(usual, most);
  const isListed = DURATION_CHOICES.some((one) => one === first);
  const choice = chosen ?? (isListed ? first : 'custom');
  const [edited, setTyped] = useState<string | null>(null);
  const typed = edited ?? String(isListed ? Math.min(45, Math.max(1, most)) : first);
  const group = useId();
  const select = (next: number | 'custom') => {
    setChosen(next);
    choose(next === 'custom' ? parseMinutes(typed, most) : next);
  };
  const type = (next: string) => {
    setTyped(next);
    choose(parseMinutes(next, most));
  };
  return (
    <fieldset>
      <legend className="mb-2 font-medium">{text.legend}</legend>
      <div className="grid grid-cols-[repeat(4,minmax(0,1fr))_auto] gap-1.5 sm:grid-cols-5">
        {[...DURATION_CHOICES, 'custom' as const].map((option) => (
          <label key={option} className={option === 'custom' ? `${CHOICE} px-1.5` : CHOICE}>
            <input
              type="radio"
              name={group}
              className="sr-only"
              checked={choice === option}
              disabled={option !== 'custom' && option > most}
              onChange={() => select(option)}
            />
            {option === 'custom' ? text.custom : text.choice(option)}
          </label>
        ))}
      </div>
      {choice === 'custom' && <CustomMinutes typed={typed} most={most} onType={type} />}
    </fieldset>
  );
}

interface CustomMinutesProps {
  typed: string;
  most: number;
  onType(typed: string): void;
}

function CustomMinutes({ typed, most, onType }: CustomMinutesProps) {
  const field = useId();
  const invalid = parseMinutes(typed, most) === null;
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
          max={Number.isFinite(most) ? most : undefined}
          step={1}
          value={typed}
          onChange={(event) => onType(event.target.value)}
          aria-invalid={invalid}
          aria-describedby={`${field}-problem`}
          className="h-control w-24 rounded-lg border border-edge bg-panel px-3 tabular-nums"
        />
      </div>
      <p id={`${field}-problem`} role="alert" className="mt-1.5 text-sm text-bad empty:hidden">
        {invalid && text.invalid(most)}
      </p>
    </div>
  );
}
