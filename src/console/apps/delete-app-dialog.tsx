import type { App } from '../../contract/http/app.ts';
import { useDeleteApp } from '../data/app-queries.ts';
import { texts } from '../texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';

const text = texts.apps;

export function DeleteAppDialog({ app, onClose }: { app: App; onClose(): void }) {
  const remove = useDeleteApp();
  return (
    <FormDialog
      title={text.deleteTitle(app.name)}
      explain={text.deleteExplain(app.name, app.version)}
      submit={text.delete}
      danger
      pending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate(app.id, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
