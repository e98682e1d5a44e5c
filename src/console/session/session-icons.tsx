import {
  Copy,
  Download,
  EyeOff,
  PanelBottom,
  PanelRightClose,
  Pause,
  Play,
  RefreshCw,
  ScanEye,
  SquareMousePointer,
  TextWrap,
} from 'lucide-react';
import { icon } from '../icons.tsx';

export const CopyIcon = icon(Copy);
export const DockBottomIcon = icon(PanelBottom);
export const DockSideIcon = icon(PanelRightClose);
export const DownloadIcon = icon(Download);
export const FollowIcon = icon(ScanEye);
export const HideIcon = icon(EyeOff);
export const PauseIcon = icon(Pause);
export const PickIcon = icon(SquareMousePointer);
export const PlayIcon = icon(Play);
export const RefreshIcon = icon(RefreshCw);
export const WrapIcon = icon(TextWrap);
