import { useQuery } from '@tanstack/react-query';
import { texts } from '../../../texts.ts';
import { copyToClipboard } from '../../../ui/copy-to-clipboard.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { ErrorNote } from '../../../ui/message.tsx';
import { CopyIcon } from '../../session-icons.tsx';
import { Section } from '../section.tsx';
import type { ToolProps } from '../tool-props.ts';
import { ConditionsSection } from './conditions-section.tsx';
import { type Fact, factsOf } from './device-facts.ts';
import { snippetsFor } from './snippets.ts';

const text = texts.tools.device;
/** The battery and the network change while a phone is in use. */
const READ_AGAIN_MS = 30_000;

/** What is known about the phone, its identifiers, and how programs use the session. */
export function DeviceTool({ sessionId, device, control }: ToolProps) {
  const info = useQuery({
    queryKey: ['device-info', sessionId],
    queryFn: () => control.call('device.info', {}),
    enabled: control.can('device.info'),
    refetchInterval: READ_AGAIN_MS,
    staleTime: READ_AGAIN_MS,
    retry: false,
  });
  const identifiers: Fact[] = [[text.sessionId, sessionId]];
  if (device) identifiers.push([text.deviceId, device.id]);
  const snippets = snippetsFor(sessionId, location.origin, control.state.capabilities);
  return (
    <>
      <Section title={text.title}>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
          {factsOf(device, info.data).map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-soft">{name}</dt>
              <dd className="min-w-0 font-medium break-words tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        <ErrorNote error={info.error} />
      </Section>
      {control.state.capabilities.includes('conditions.get') && (
        <ConditionsSection sessionId={sessionId} control={control} />
      )}
      <Section title={text.identifiers}>
        <dl className="space-y-1 text-sm">
          {identifiers.map(([name, value]) => (
            <div key={name} className="flex items-center gap-4">
              <dt className="shrink-0 text-soft">{name}</dt>
              <dd className="flex min-w-0 grow items-center justify-end gap-1">
                <span className="min-w-0 truncate font-mono text-xs">{value}</span>
                <CopyButton label={text.copyOne(name)} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title={text.use}>
        <p className="mb-3 text-sm text-soft">{text.useHint}</p>
        <div className="space-y-3">
          {snippets.map(({ title, code }) => (
            <div key={title}>
              <div className="flex items-center justify-between">
                <h4 className="text-sm font-medium">{title}</h4>
                <CopyButton label={text.copyOne(title)} value={code} />
              </div>
              <pre
                // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard too
                tabIndex={0}
                className="mt-0.5 overflow-x-auto rounded-lg bg-sunken px-3 py-2.5 font-mono text-xs leading-5"
              >
                {code}
              </pre>
            </div>
          ))}
        </div>
      </Section>
    </>
  );
}

const CopyButton = ({ label, value }: { label: string; value: string }) => (
  <IconButton
    label={label}
    icon={<CopyIcon className="size-4" />}
    side="left"
    size="small"
    onClick={() => void copyToClipboard(value)}
  />
);
