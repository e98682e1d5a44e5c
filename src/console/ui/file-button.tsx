import { type ComponentProps, useRef } from 'react';
import { Button } from './button.tsx';

interface FileButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  accept: string;
  multiple?: boolean;
  onFiles(files: readonly File[]): void;
}

/** A button that opens the file dialog. */
export function FileButton({ accept, multiple = false, onFiles, ...rest }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...rest} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={multiple}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // Resets the value, so that choosing the same file again fires a change event.
          event.target.value = '';
        }}
      />
    </>
  );
}
