import type { ReactNode } from 'react';
import { ServiceError } from '../../client/service-error.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { WarningIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface MessageProps {
  title: string;
  /** Whether the message is the whole page, so that its title is the page's heading. */
  isPage?: boolean;
  icon?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}

/** A message in place of missing content: why it is missing, and what to do next. */
export function Message({ title, isPage = false, icon, children, action }: MessageProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center px-4 py-16 text-center">
      {icon && (
        <div className="mb-4 grid size-14 place-items-center rounded-2xl bg-sunken text-soft">{icon}</div>
      )}
      <Heading className="text-lg font-semibold">{title}</Heading>
      {children && <p className="mt-1.5 text-balance text-soft">{children}</p>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

interface ErrorProps {
  error: unknown;
  /** Formats the error. The default is the general error text of the console. */
  sentence?: (error: unknown) => string;
}

export function ErrorMessage({
  error,
  sentence = errorSentence,
  isPage = false,
  onRetry,
  action,
}: ErrorProps & Pick<MessageProps, 'isPage' | 'action'> & { onRetry?: () => void }) {
  // The same request fails again, and the sentence says what to do instead.
  const isMissing = error instanceof ServiceError && error.status === 404;
  const retry = onRetry && !isMissing && <Button onClick={onRetry}>{texts.errors.retry}</Button>;
  return (
    <div role="alert">
      <Message
        title={isMissing ? texts.errors.notFoundTitle : texts.errors.title}
        isPage={isPage}
        icon={<WarningIcon className="size-6" />}
        action={
          (retry || action) && (
            <>
              {retry}
              {action}
            </>
          )
        }
      >
        {sentence(error)}
      </Message>
    </div>
  );
}

/**
 * An error beside content that is still usable, such as a list that was loaded before the service became unreachable.
 */
export function ErrorNote({ error, sentence = errorSentence }: ErrorProps) {
  if (!error) return null;
  return (
    <p role="alert" className="rounded-lg bg-bad-tint px-3.5 py-2.5 text-sm text-bad">
      {sentence(error)}
    </p>
  );
}
