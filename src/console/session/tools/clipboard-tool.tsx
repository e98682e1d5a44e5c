import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { MAX_TEXT_LENGTH } from '../../../contract/sockets/control-methods.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { copyToClipboard } from '../../ui/copy-to-clipboard.ts';
import { ErrorNote } from '../../ui/message.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Control } from '../use-control.ts';
import { Section } from './section.tsx';
import type { ToolProps } from './tool-props.ts';

const text = texts.tools.clipboard;
const AREA = 'w-full rounded-lg border bg-panel px-3 py-2 text-sm';

export function ClipboardTool({ control, phoneClipboard, toClipboard }: ToolProps) {
  return (
    <>
      {control.state.capabilities.includes('clipboard.set') && (
        <ToPhone ready={control.can('clipboard.set')} toClipboard={toClipboard} />
      )}
      <FromPhone control={control} heard={phoneClipboard} />
    </>
  );
}

function ToPhone({ ready, toClipboard }: { ready: boolean } & Pick<ToolProps, 'toClipboard'>) {
  const [typed, setTyped] = useState('');
  const send = useMutation({ mutationFn: (paste: boolean) => toClipboard(typed, paste) });
  const disabled = !ready || typed === '' || send.isPending;
  return (
    <Section title={text.toPhone}>
      <textarea
        aria-label={text.placeholder}
        placeholder={text.placeholder}
        rows={4}
        maxLength={MAX_TEXT_LENGTH}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${AREA} border-edge placeholder:text-soft`}
      />
      <ErrorNote error={send.error} />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="small" look="primary" disabled={disabled} onClick={() => send.mutate(true)}>
          {text.paste}
        </Button>
        <Button
          size="small"
          disabled={disabled}
          onClick={() => send.mutate(false, { onSuccess: () => toast(text.isSet) })}
        >
          {text.set}
        </Button>
      </div>
      <p className="mt-2 text-sm text-soft max-md:hidden">{text.hint}</p>
    </Section>
  );
}

function FromPhone({ control, heard }: { control: Control; heard: string | null }) {
  const read = useMutation({ mutationFn: () => control.call('clipboard.get', {}) });
  const { reset } = read;
  // A clipboard text that the phone reports later is newer than the one that was read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is each new word of the phone that counts
  useEffect(reset, [heard, reset]);
  const copied = read.data?.text ?? heard;
  return (
    <Section title={text.fromPhone}>
      {copied ? (
        <textarea
          readOnly
          aria-label={text.fromPhone}
          rows={4}
          value={copied}
          className={`${AREA} border-line bg-sunken`}
        />
      ) : (
        <p className="text-sm text-soft">{copied === null ? text.empty : text.none}</p>
      )}
      <ErrorNote error={read.error} />
      <div className="mt-2 flex flex-wrap gap-2">
        {copied && (
          <Button size="small" look="primary" onClick={() => void copyToClipboard(copied)}>
            {text.copy}
          </Button>
        )}
        {control.can('clipboard.get') && (
          <Button size="small" busy={read.isPending} onClick={() => read.mutate()}>
            {text.read}
          </Button>
        )}
      </div>
    </Section>
  );
}
