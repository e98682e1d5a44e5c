import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import type { Conditions, ConditionsReport } from '../../../../contract/sockets/conditions.ts';
import { texts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/message.tsx';
import { FIELD, Select } from '../../../ui/select.tsx';
import { Section } from '../section.tsx';
import type { ToolProps } from '../tool-props.ts';

const text = texts.tools.device.conditions;
/** Conditions also change on the phone itself. */
const READ_AGAIN_MS = 30_000;
const SWITCHES = ['dark_mode', 'airplane_mode', 'battery_saver', 'animations'] as const;
/** The sizes that Android's settings offer. */
const FONT_SCALES = [0.85, 1, 1.15, 1.3, 1.5, 1.8, 2];
const TEXTS = ['locale', 'time_zone', 'proxy'] as const;

/** The location is a condition too, but it has a tool of its own. */
type Name = Exclude<keyof Conditions, 'location'>;

interface RowProps {
  report: ConditionsReport;
  /** The condition that is being changed; null if none is. */
  changing: Name | null;
  isReady: boolean;
  onChange(wanted: Conditions): void;
}

/** Shows the conditions of the phone, such as dark mode, and changes them. */
export function ConditionsSection({ sessionId, control }: Pick<ToolProps, 'sessionId' | 'control'>) {
  const client = useQueryClient();
  const queryKey = ['conditions', sessionId];
  const conditions = useQuery({
    queryKey,
    queryFn: () => control.call('conditions.get', {}),
    enabled: control.can('conditions.get'),
    refetchInterval: READ_AGAIN_MS,
    staleTime: READ_AGAIN_MS,
    retry: false,
  });
  const change = useMutation({
    mutationFn: (wanted: Conditions) => control.call('conditions.set', wanted),
    onMutate: () => client.cancelQueries({ queryKey }),
    onSuccess: (report) => client.setQueryData(queryKey, report),
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const report = conditions.data;
  const row = report && {
    // A value that is being changed is shown at once.
    report: change.isPending ? { ...report, values: { ...report.values, ...change.variables } } : report,
    changing: change.isPending ? ((Object.keys(change.variables)[0] as Name | undefined) ?? null) : null,
    isReady: control.can('conditions.set'),
    onChange: change.mutate,
  };
  return (
    <Section title={text.title}>
      {row ? (
        <div className="space-y-3 text-sm">
          <div>
            {SWITCHES.map((name) => (
              <Switch key={name} name={name} {...row} />
            ))}
          </div>
          <FontScale {...row} />
          {TEXTS.map((name) => (
            // The field is filled again when the phone reports another value.
            <TextCondition key={`${name} ${row.report.values[name] ?? ''}`} name={name} {...row} />
          ))}
          <p className="text-soft">{text.undone}</p>
        </div>
      ) : (
        conditions.isLoading && <p className="text-sm text-soft">{text.reading}</p>
      )}
      <ErrorNote error={change.error ?? conditions.error} />
    </Section>
  );
}

function Switch({
  name,
  report: { values, unsupported },
  changing,
  isReady,
  onChange,
}: RowProps & { name: (typeof SWITCHES)[number] }) {
  const id = useId();
  const reason = unsupported[name];
  return (
    <div>
      <label className="flex min-h-control-sm cursor-pointer items-center justify-between gap-4">
        {text.names[name]}
        <input
          type="checkbox"
          aria-describedby={reason === undefined ? undefined : id}
          className="size-4.5 accent-strong"
          checked={values[name] ?? false}
          disabled={reason !== undefined || !isReady || changing !== null}
          aria-busy={changing === name}
          onChange={({ target }) => onChange({ [name]: target.checked })}
        />
      </label>
      <Reason id={id} reason={reason} />
    </div>
  );
}

function FontScale({ report: { values, unsupported }, changing, isReady, onChange }: RowProps) {
  const id = useId();
  const reason = unsupported.font_scale;
  const value = values.font_scale ?? 1;
  const scales = FONT_SCALES.includes(value) ? FONT_SCALES : [...FONT_SCALES, value].sort((a, b) => a - b);
  return (
    <div>
      <div className="flex min-h-control-sm items-center justify-between gap-4">
        <span id={id}>{text.names.font_scale}</span>
        {reason === undefined ? (
          <Select
            className="w-28"
            labelledBy={id}
            value={String(value)}
            options={scales.map((scale) => [String(scale), `${Math.round(scale * 100)} %`])}
            onChange={(chosen) => isReady && changing === null && onChange({ font_scale: Number(chosen) })}
          />
        ) : (
          <span>{Math.round(value * 100)} %</span>
        )}
      </div>
      <Reason id={`${id}-reason`} reason={reason} />
    </div>
  );
}

function TextCondition({
  name,
  report: { values, unsupported },
  changing,
  isReady,
  onChange,
}: RowProps & { name: (typeof TEXTS)[number] }) {
  const id = useId();
  const current = values[name] ?? '';
  const [typed, setTyped] = useState(current);
  const reason = unsupported[name];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ [name]: typed.trim() || (name === 'proxy' ? 'none' : current) });
  };
  return (
    <form noValidate onSubmit={submit}>
      <label htmlFor={id} className="mb-1 block">
        {text.names[name]}
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          placeholder={text.examples[name]}
          list={name === 'time_zone' ? `${id}-zones` : undefined}
          aria-describedby={reason === undefined ? undefined : `${id}-reason`}
          disabled={reason !== undefined}
          onChange={({ target }) => setTyped(target.value)}
          className={`${FIELD} min-w-0 border-edge px-3 disabled:opacity-55`}
        />
        {reason === undefined && (
          <Button
            type="submit"
            aria-label={text.setOne(text.names[name])}
            busy={changing === name}
            disabled={!isReady || changing !== null || typed.trim() === current}
          >
            {text.set}
          </Button>
        )}
      </div>
      {name === 'time_zone' && (
        <datalist id={`${id}-zones`}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      )}
      <Reason id={`${id}-reason`} reason={reason} />
    </form>
  );
}

const Reason = ({ id, reason }: { id: string; reason: string | undefined }) =>
  reason === undefined ? null : (
    <p id={id} className="mt-1 text-soft">
      {text.unsupported(reason)}
    </p>
  );
