import { useId } from 'react';
import { watchPage } from '../../../client/watch-page.ts';
import type { Session } from '../../../contract/http/session.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { copyToClipboard } from '../../ui/copy-to-clipboard.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/message.tsx';
import { WatchLinkList } from './watch-link-list.tsx';
import { useCreateWatchLink } from './watch-link-queries.ts';

const text = texts.share;
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

interface ShareDialogProps {
  session: Session;
  name: string;
  onClose(): void;
}

/** Creates watch links, shows the addresses of a new one, and lists and revokes those of the session. */
export function ShareDialog({ session, name, onClose }: ShareDialogProps) {
  const { session_id, expires_at } = session;
  const create = useCreateWatchLink(session_id);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <div className="space-y-5">
        <p className="text-soft">
          {text.explain} {text.until(clock.format(new Date(expires_at)))}
        </p>
        {create.data ? (
          <Addresses streamUrl={create.data.stream_url} name={name} onClose={onClose} />
        ) : (
          <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
            {text.create}
          </Button>
        )}
        <ErrorNote error={create.error} />
        <WatchLinkList
          sessionId={session_id}
          shows="screen"
          // The addresses of a revoked link no longer work.
          onRevoked={(linkId) => linkId === create.data?.id && create.reset()}
        />
      </div>
    </Dialog>
  );
}

/** Both addresses of a new link. They are shown once. */
function Addresses({ streamUrl, name, onClose }: { streamUrl: string; name: string; onClose(): void }) {
  const page = watchPage(location.origin, { streamUrl, name });
  // A toast would be hidden behind the dialog, so the dialog closes first.
  const copyAll = (address: string, done: string) => void copyToClipboard(address, done).then(onClose);
  return (
    <>
      <Address
        label={text.link}
        value={page}
        copy={text.copy}
        look="primary"
        onCopy={() => copyAll(page, text.copied)}
      />
      <div>
        <Address
          label={text.programs}
          value={streamUrl}
          copy={text.copyAddress}
          look="plain"
          onCopy={() => copyAll(streamUrl, text.addressCopied)}
        />
        <p className="mt-1.5 text-sm text-soft">{text.programsExplain}</p>
      </div>
    </>
  );
}

interface AddressProps {
  label: string;
  value: string;
  copy: string;
  look: 'primary' | 'plain';
  onCopy(): void;
}

function Address({ label, value, copy, look, onCopy }: AddressProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="flex items-center gap-2">
        <input
          id={id}
          readOnly
          value={value}
          onFocus={(event) => event.target.select()}
          className="h-control-sm min-w-0 grow rounded-lg border border-line bg-sunken px-3 font-mono text-xs"
        />
        <Button size="small" look={look} onClick={onCopy}>
          {copy}
        </Button>
      </div>
    </div>
  );
}
