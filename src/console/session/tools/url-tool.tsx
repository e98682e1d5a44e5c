import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/message.tsx';
import { FIELD } from '../../ui/select.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Control } from '../use-control.ts';
import { Section } from './section.tsx';

const text = texts.tools.url;

export function UrlTool({ control }: { control: Control }) {
  const [typed, setTyped] = useState('');
  const [invalid, setInvalid] = useState(false);
  const field = useId();
  const problem = useId();
  const open = useMutation({
    mutationFn: (url: string) => control.call('open_url', { url }),
    onSuccess: (_, url) => toast(text.opened(url)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = addressFrom(typed);
    setInvalid(url === null);
    if (url !== null && !open.isPending) open.mutate(url);
  };
  return (
    <Section title={texts.tools.tabs.url}>
      <form noValidate onSubmit={submit} className="space-y-2.5">
        <label htmlFor={field} className="sr-only">
          {text.field}
        </label>
        <input
          id={field}
          type="url"
          placeholder={text.placeholder}
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          aria-invalid={invalid}
          aria-describedby={problem}
          className={`${FIELD} !border-edge px-3 placeholder:text-soft`}
        />
        <p
          id={problem}
          role={invalid ? 'alert' : undefined}
          className={`text-sm ${invalid ? 'text-bad' : 'text-soft'}`}
        >
          {invalid ? text.invalid : text.hint}
        </p>
        <ErrorNote error={open.error} />
        <Button
          type="submit"
          look="primary"
          size="small"
          busy={open.isPending}
          disabled={!control.can('open_url')}
        >
          {text.open}
        </Button>
      </form>
    </Section>
  );
}

/** A host with a port, such as `localhost:8080/x`. It resembles a scheme, but a number follows the colon. */
const HOST_WITH_PORT = /^(?:localhost|[^:/]*\.[^:/]*):\d+(?:[/?#]|$)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Returns the URL that the user meant: unchanged if it has a scheme, otherwise with `https`. Returns null if it is
 * not a valid URL.
 */
export function addressFrom(typed: string): string | null {
  const trimmed = typed.trim();
  if (trimmed === '' || /\s/.test(trimmed)) return null;
  const hasScheme = SCHEME.test(trimmed) && !HOST_WITH_PORT.test(trimmed);
  const address = hasScheme ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return null;
  // The service accepts only lower-case schemes, as the URL standard writes them.
  return address.replace(SCHEME, (scheme) => scheme.toLowerCase());
}
