import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { getArtifactRoom } from './artifact-storage.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { expireArtifacts, listDeletedArtifacts, purgeArtifacts } from './artifact-upkeep.ts';
import { deleteArtifact, getArtifact, listArtifacts, reserveArtifact, storeArtifact } from './artifacts.ts';
import { failSilentRecordings, finishRecording } from './recordings.ts';

export const artifactStore = (engine: Engine): ArtifactStore =>
  bind(engine, {
    getArtifactRoom,
    reserveArtifact,
    storeArtifact,
    finishRecording,
    failSilentRecordings,
    listArtifacts,
    getArtifact,
    deleteArtifact,
    expireArtifacts,
    listDeletedArtifacts,
    purgeArtifacts,
  });
