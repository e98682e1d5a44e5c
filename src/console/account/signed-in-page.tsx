import { useEffect, useState } from 'react';
import { SIGN_IN_PROBLEMS, type SignInProblem } from '../../contract/http/sign-in.ts';
import { SpinnerIcon, WarningIcon } from '../icons.tsx';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Message } from '../ui/message.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { browserSession } from './browser-session.ts';
import { saveReturn, takeReturn } from './sign-in-return.ts';
import { useSignInWays } from './sign-in-ways.ts';

const text = texts.signIn;

/**
 * The page that the identity provider redirects to, either with a ticket for a browser session or with the reason why
 * sign-in failed.
 */
export function SignedInPage({ search }: { search: string }) {
  const reported = new URLSearchParams(search).get('problem');
  const [problem, setProblem] = useState<SignInProblem | null>(
    reported === null ? null : problemOf(reported),
  );
  useEffect(() => {
    if (problem !== null) return;
    openOnce().then(
      (to) => navigate(to, { replace: true }),
      () => setProblem('expired'),
    );
  }, [problem]);
  return <main>{problem === null ? <Coming /> : <Refused problem={problem} />}</main>;
}

function Coming() {
  usePageTitle(text.title);
  return <Message title={text.coming} isPage icon={<SpinnerIcon className="spin size-6" />} />;
}

function Refused({ problem }: { problem: SignInProblem }) {
  usePageTitle(text.refusedTitle);
  const provider = useSignInWays()?.oidc;
  const again = (url: string) => {
    saveReturn(takeReturn());
    location.assign(url);
  };
  return (
    <Message
      title={text.refusedTitle}
      isPage
      icon={<WarningIcon className="size-6" />}
      action={
        <>
          {provider && (
            <Button look="primary" onClick={() => again(provider.start_url)}>
              {text.again}
            </Button>
          )}
          <ButtonLink href="/devices">{text.withKey}</ButtonLink>
        </>
      }
    >
      {text.problems[problem]}
    </Message>
  );
}

const problemOf = (word: string): SignInProblem =>
  SIGN_IN_PROBLEMS.find((problem) => problem === word) ?? 'untrusted';

let opening: Promise<string> | null = null;

/** Returns where to go. The ticket is valid for one request, and React may mount this page twice. */
function openOnce(): Promise<string> {
  opening ??= (async () => {
    const { to, remember } = takeReturn();
    await browserSession.openWithTicket(remember);
    return to;
  })();
  return opening;
}
