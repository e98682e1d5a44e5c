import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { SpinnerIcon } from '../icons.tsx';
import { navigate } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { useWaiting, type WaitingState } from './use-waiting.ts';

const text = texts.waiting;

/** Shows on every page that the user is waiting for a phone, the position in the queue, and the outcome. */
export function WaitingBar() {
  const { state, stop } = useWaiting();
  if (state.phase === 'none') return null;
  const open = () => {
    if (state.phase !== 'ready') return;
    stop();
    navigate(`/sessions/${state.sessionId}`);
  };
  return (
    <section
      aria-label={text.label}
      className="appear fixed inset-x-3 bottom-3 z-floating mx-auto flex max-w-xl items-center gap-3 rounded-2xl border border-edge bg-panel px-4 py-3 text-sm shadow-lift max-sm:flex-wrap"
    >
      {state.phase === 'waiting' && <SpinnerIcon className="spin size-5 text-soft" />}
      <p
        role={state.phase === 'failed' ? 'alert' : 'status'}
        className={`min-w-0 grow basis-40 tabular-nums ${state.phase === 'failed' ? 'text-bad' : ''}`}
      >
        {sentenceOf(state)}
      </p>
      {state.phase === 'ready' && (
        <Button look="primary" size="small" onClick={open}>
          {text.open}
        </Button>
      )}
      <Button size="small" look={state.phase === 'waiting' ? 'plain' : 'quiet'} onClick={stop}>
        {state.phase === 'waiting' ? text.stop : text.dismiss}
      </Button>
    </section>
  );
}

function sentenceOf(state: WaitingState): string {
  switch (state.phase) {
    case 'none':
      return '';
    case 'waiting':
      return state.queued ? text.position(state.queued.position, state.queued.matching) : text.asking;
    case 'ready':
      return text.ready;
    case 'failed':
      return failureSentence(state.error);
  }
}

/** These error codes have another meaning in a request that names no phone. */
function failureSentence(error: unknown): string {
  if (!(error instanceof ServiceError)) return errorSentence(error);
  if (error.code === ERRORS.deviceNotFound.code) return text.noneMatches;
  if (error.code === ERRORS.deviceUnavailable.code) return text.expired;
  const isFull = error.code === ERRORS.quotaExceeded.code && error.data.kind === 'waiting';
  return isFull ? text.tooMany : errorSentence(error);
}
