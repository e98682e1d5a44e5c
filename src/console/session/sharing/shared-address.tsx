import { Button } from '../../ui/button.tsx';
import { copyToClipboard } from '../../ui/copy-to-clipboard.ts';
import { Labelled } from '../../ui/field.tsx';

interface SharedAddressProps {
  label: string;
  hint?: string;
  address: string;
  /** Whether it is the one to copy, which receives the focus: the button that created it, which had the focus, is gone. */
  isMain?: boolean;
  copy: string;
  copied: string;
  /** Closes the dialog, which would hide the toast. */
  onCopied(): void;
}

const focus = (field: HTMLInputElement | null) => field?.focus();

/** The address of a new link. It is shown once. */
export function SharedAddress({
  label,
  hint,
  address,
  isMain = false,
  copy,
  copied,
  onCopied,
}: SharedAddressProps) {
  return (
    <Labelled label={label} hint={hint}>
      {({ field, describedBy }) => (
        <div className="flex items-center gap-2">
          <input
            id={field}
            aria-describedby={describedBy}
            ref={isMain ? focus : null}
            readOnly
            value={address}
            onFocus={(event) => event.target.select()}
            className="h-control-sm min-w-0 grow rounded-lg border border-line bg-sunken px-3 font-mono text-xs"
          />
          <Button
            size="small"
            look={isMain ? 'primary' : 'plain'}
            onClick={() => void copyToClipboard(address, copied).then(onCopied)}
          >
            {copy}
          </Button>
        </div>
      )}
    </Labelled>
  );
}
