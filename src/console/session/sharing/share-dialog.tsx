import type { Session } from '../../../contract/session.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { copyAndSay } from '../../ui/copy-and-say.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { watchLink } from './watch-link.ts';

const text = texts.share;
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

interface ShareDialogProps {
  session: Session;
  name: string;
  onClose(): void;
}

/** Gives out the addresses at which others can watch, and says what they can do with them and until when. */
export function ShareDialog({ session, name, onClose }: ShareDialogProps) {
  const { stream_url, expires_at } = session;
  const link = watchLink(location.origin, { streamUrl: stream_url, name });
  // What is said of it would be behind the dialog.
  const copyAll = (address: string, done: string) => void copyAndSay(address, done).then(onClose);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <div className="space-y-5">
        <p className="text-soft">
          {text.explain} {text.until(clock.format(new Date(expires_at)))}
        </p>
        <Address
          label={text.link}
          value={link}
          copy={text.copy}
          look="primary"
          onCopy={() => copyAll(link, text.copied)}
        />
        <div>
          <Address
            label={text.programs}
            value={stream_url}
            copy={text.copyAddress}
            look="plain"
            onCopy={() => copyAll(stream_url, text.addressCopied)}
          />
          <p className="mt-1.5 text-sm text-soft">{text.programsExplain}</p>
        </div>
      </div>
    </Dialog>
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
  return (
    <div>
      <label className="block">
        <span className="mb-1.5 block text-sm font-medium">{label}</span>
        <input
          readOnly
          value={value}
          onFocus={(event) => event.target.select()}
          className="h-10 w-full rounded-lg border border-line bg-sunken px-3 font-mono text-xs"
        />
      </label>
      <Button size="small" look={look} className="mt-2" onClick={onCopy}>
        {copy}
      </Button>
    </div>
  );
}
