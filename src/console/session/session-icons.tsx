import { icon } from '../icons.tsx';

export const WrapIcon = icon(
  <path d="M4 6h16M4 12h12.5a3 3 0 0 1 0 6H13m0 0 2.5-2.5M13 18l2.5 2.5M4 18h5" />,
);
export const PauseIcon = icon(<path d="M9 6v12m6-12v12" strokeWidth="2.25" />);
export const PlayIcon = icon(<path d="M8 5.5v13l10.5-6.5L8 5.5Z" />);
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5.5 15A1.5 1.5 0 0 1 4 13.5v-8A1.5 1.5 0 0 1 5.5 4h8A1.5 1.5 0 0 1 15 5.5" />
  </>,
);
export const DownloadIcon = icon(<path d="M12 4.5V15m0 0 4-4m-4 4-4-4M4.5 19.5h15" />);
export const DockBottomIcon = icon(
  <>
    <rect x="3.5" y="4.5" width="17" height="15" rx="2" />
    <path d="M3.5 14h17" />
  </>,
);
export const DockSideIcon = icon(
  <>
    <rect x="3.5" y="4.5" width="17" height="15" rx="2" />
    <path d="M14.5 4.5v15" />
  </>,
);
export const PickIcon = icon(
  <>
    <circle cx="12" cy="12" r="6" />
    <path d="M12 3v5m0 8v5M3 12h5m8 0h5" />
  </>,
);
export const HideIcon = icon(
  <path d="M4 4l16 16M10 6.2A9.5 9.5 0 0 1 12 6c5.7 0 9 6 9 6a15 15 0 0 1-2.7 3.2M6.3 7.9A15 15 0 0 0 3 12s3.3 6 9 6a8.6 8.6 0 0 0 4-1" />,
);
export const RefreshIcon = icon(<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9m0-4.5V9H15" />);
