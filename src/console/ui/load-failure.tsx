import { WarningIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Message } from './message.tsx';
import { usePageTitle } from './page-title.ts';
import { useReloadOnce } from './reload-once.ts';

const text = texts.errors;

/** A message in place of a part of a page whose code cannot be loaded. */
export function LoadFailure({ isPage = false }: { isPage?: boolean }) {
  return (
    <div role="alert">
      <Message
        title={text.notLoadedTitle}
        isPage={isPage}
        icon={<WarningIcon className="size-6" />}
        action={<ReloadButton />}
      >
        {text.notLoaded}
      </Message>
    </div>
  );
}

/** The same in place of a whole page, which is then also reloaded automatically. */
export function PageLoadFailure({ page }: { page: string }) {
  usePageTitle(text.notLoadedTitle);
  useReloadOnce(page);
  return <LoadFailure isPage />;
}

export function ReloadButton({ className }: { className?: string }) {
  return (
    <Button look="primary" className={className} onClick={() => location.reload()}>
      {text.reload}
    </Button>
  );
}
