import { type FormEvent, useId, useState } from 'react';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { BrandMark, EyeIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { browserSession } from './browser-session.ts';
import { saveReturn } from './sign-in-return.ts';
import { useSignInWays } from './sign-in-ways.ts';

const text = texts.signIn;

/** Asks for a key and opens a browser session with it, or leads to the identity provider. */
export function SignInPage() {
  usePageTitle(text.title);
  return (
    <main className="grid min-h-full place-items-center px-5 py-10">
      <div className="w-full max-w-md">
        <div className="mb-8 flex items-center gap-3.5">
          <BrandMark className="size-12" />
          <div>
            <h1 className="text-title">{texts.product}</h1>
            <p className="text-soft">{text.tagline}</p>
          </div>
        </div>
        <div className="rounded-2xl border border-line bg-panel p-6 shadow-card sm:p-7">
          <Ways />
        </div>
        <section className="mt-7 px-1 text-sm text-soft">
          <h2 className="mb-1.5 font-medium text-ink">{text.whereTitle}</h2>
          <ul className="list-disc space-y-1 pl-4.5 marker:text-edge">
            <li>{text.whereTerminal}</li>
            <li>{text.whereFolder}</li>
            <li>{text.whereColleague}</li>
          </ul>
        </section>
      </div>
    </main>
  );
}

function Ways() {
  const provider = useSignInWays()?.oidc;
  const [remember, setRemember] = useState(false);
  const go = (url: string) => {
    saveReturn({ to: `${location.pathname}${location.search}`, remember });
    location.assign(url);
  };
  return (
    <>
      {provider && (
        <>
          <Button look="primary" className="w-full" onClick={() => go(provider.start_url)}>
            <span className="truncate">{text.withProvider(provider.name)}</span>
          </Button>
          <p className="my-5 flex items-center gap-3 text-sm text-soft before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
            {text.orWithKey}
          </p>
        </>
      )}
      <KeyForm remember={remember} onRemember={setRemember} isOnlyWay={!provider} />
    </>
  );
}

interface KeyFormProps {
  remember: boolean;
  onRemember(remember: boolean): void;
  isOnlyWay: boolean;
}

function useKeyForm(remember: boolean) {
  const [value, setValue] = useState('');
  const [checking, setChecking] = useState(false);
  const [error, setError] = useState<string | null>(browserSession.wasRejected() ? text.expired : null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const key = value.trim();
    if (key === '') return setError(text.empty);
    setChecking(true);
    setError(null);
    try {
      await browserSession.openWithKey(key, remember);
    } catch (failure) {
      const unknownKey = failure instanceof ServiceError && failure.code === ERRORS.unauthorized.code;
      setError(unknownKey ? text.rejected : errorSentence(failure));
      setChecking(false);
    }
  };
  return { value, setValue, checking, error, submit };
}

function KeyForm({ remember, onRemember, isOnlyWay }: KeyFormProps) {
  const { value, setValue, checking, error, submit } = useKeyForm(remember);
  const [shown, setShown] = useState(false);
  const field = useId();
  const problem = useId();
  return (
    <form onSubmit={submit} noValidate>
      <label htmlFor={field} className="mb-1.5 block font-medium">
        {text.field}
      </label>
      <div className="relative">
        <input
          id={field}
          type={shown ? 'text' : 'password'}
          value={value}
          onChange={(event) => setValue(event.target.value)}
          placeholder={text.placeholder}
          // The page has a single field, and no content before it that a screen reader would skip.
          // biome-ignore lint/a11y/noAutofocus: signing in is all that this page is for
          autoFocus
          autoComplete="current-password"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={error !== null}
          aria-describedby={error ? problem : undefined}
          className="h-control w-full rounded-lg border border-edge bg-panel pr-12 pl-3.5 font-mono text-sm placeholder:text-soft"
        />
        <button
          type="button"
          onClick={() => setShown(!shown)}
          aria-label={shown ? text.hide : text.show}
          aria-pressed={shown}
          className="absolute inset-y-1 right-1 grid w-10 place-items-center rounded-md text-soft hover:text-ink"
        >
          <EyeIcon />
        </button>
      </div>
      <p id={problem} role="alert" className="text-sm text-bad empty:hidden mt-2">
        {error}
      </p>
      <label className="mt-3.5 flex w-fit cursor-pointer items-center gap-2.5 text-sm">
        <input
          type="checkbox"
          checked={remember}
          onChange={(event) => onRemember(event.target.checked)}
          className="size-4 accent-strong"
        />
        {text.remember}
      </label>
      <Button type="submit" look={isOnlyWay ? 'primary' : 'plain'} className="mt-4 w-full" busy={checking}>
        {checking ? text.checking : text.submit}
      </Button>
      <p className="mt-3 text-center text-sm text-soft">{remember ? text.privacyRemembered : text.privacy}</p>
    </form>
  );
}
