import { useState } from 'react';
import { APP_FILES } from '../../apps/app-files.ts';
import { useAppChoices } from '../../data/app-queries.ts';
import { UploadIcon } from '../../icons.tsx';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { Select } from '../../ui/select.tsx';
import type { Installation } from '../install/use-installation.ts';
import { PhoneApps } from './phone-apps.tsx';
import { Section } from './section.tsx';
import type { ToolProps } from './tool-props.ts';

const text = texts.tools.apps;

/** Installs apps on the phone, and lists the installed ones. */
export function AppsTool({ sessionId, control, installation }: ToolProps) {
  const { capabilities } = control.state;
  return (
    <>
      {capabilities.includes('app.install') && (
        <Section title={text.installTitle}>
          <InstallForm installation={installation} ready={control.can('app.install')} />
        </Section>
      )}
      {capabilities.includes('app.list') && (
        // The key remounts the list after each installation, so that it includes the new app.
        <PhoneApps key={installation.installs} sessionId={sessionId} control={control} />
      )}
    </>
  );
}

function InstallForm({ installation, ready }: { installation: Installation; ready: boolean }) {
  const [appId, setAppId] = useState('');
  const apps = useAppChoices().data?.items ?? [];
  const state = installation.current?.state;
  const busy = state === 'pending' || state === 'installing';
  return (
    <div className="space-y-3">
      {apps.length > 0 && (
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (appId !== '') installation.install(appId);
          }}
        >
          <Select
            label={text.choose}
            value={appId}
            options={[
              ['', text.chooseFirst],
              ...apps.map((app) => [app.id, `${app.name} ${app.version}`.trim()] as const),
            ]}
            onChange={setAppId}
            className="grow"
          />
          <Button type="submit" look="primary" busy={busy} disabled={!ready || appId === ''}>
            {text.install}
          </Button>
        </form>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <FileButton size="small" accept={APP_FILES} disabled={!ready} onFiles={installation.installFiles}>
          <UploadIcon className="size-4" />
          {text.file}
        </FileButton>
        <p className="text-sm text-soft max-md:hidden">{text.fileHint}</p>
      </div>
    </div>
  );
}
