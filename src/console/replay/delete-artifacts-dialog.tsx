import type { Artifact } from '../../contract/http/artifact.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { useDeleteArtifacts } from './artifact-queries.ts';

interface DeleteArtifactsDialogProps {
  sessionId: string;
  artifacts: readonly Artifact[];
  onClose(): void;
}

/** Asks for confirmation, and deletes one file of a recording or all of them. */
export function DeleteArtifactsDialog({ sessionId, artifacts, onClose }: DeleteArtifactsDialogProps) {
  const remove = useDeleteArtifacts(sessionId);
  const [first] = artifacts;
  const one = artifacts.length === 1 && first ? first.name : null;
  const submit = () =>
    remove.mutate(artifacts, {
      onSuccess: () => {
        toast(one === null ? text.deleted : text.deletedOne(one));
        onClose();
      },
    });
  return (
    <FormDialog
      title={one === null ? text.deleteAllTitle : text.deleteOneTitle(one)}
      explain={one === null ? text.deleteAllExplain(artifacts.length) : text.deleteOne}
      submit={text.deleteSubmit}
      danger
      pending={remove.isPending}
      error={remove.error}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
