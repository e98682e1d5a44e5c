import { type ComponentProps, type ReactNode, useId } from 'react';
import { FIELD } from './select.tsx';

interface LabelledProps {
  label: string;
  /** Help text that is too long for the label. */
  hint?: string | undefined;
  /** What is wrong with the entered value, and what would be valid. Null if it is valid. */
  problem?: string | null;
  children(ids: { field: string; label: string; describedBy: string | undefined }): ReactNode;
}

/** A form field with its label, and the hint and problem that a screen reader announces with it. */
export function Labelled({ label, hint, problem = null, children }: LabelledProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div>
      <label id={`${id}-label`} htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      {children({ field: id, label: `${id}-label`, describedBy: described || undefined })}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-sm text-soft">
          {hint}
        </p>
      )}
      <p id={`${id}-problem`} role="alert" className="mt-1.5 text-sm text-bad empty:hidden">
        {problem}
      </p>
    </div>
  );
}

type TextFieldProps = Omit<LabelledProps, 'children'> &
  Omit<ComponentProps<'input'>, 'onChange' | 'id'> & { onChange(value: string): void };

export function TextField({ label, hint, problem = null, onChange, ...rest }: TextFieldProps) {
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {({ field, describedBy }) => (
        <input
          id={field}
          aria-describedby={describedBy}
          aria-invalid={problem !== null}
          onChange={(event) => onChange(event.target.value)}
          className={`${FIELD} border-edge px-3`}
          {...rest}
        />
      )}
    </Labelled>
  );
}
