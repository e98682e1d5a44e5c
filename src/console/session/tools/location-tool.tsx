import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/message.tsx';
import { toast } from '../../ui/toasts.tsx';
import { parseCoordinate, parseCoordinates } from './coordinates.ts';
import { Section } from './section.tsx';
import type { ToolProps } from './tool-props.ts';

const text = texts.tools.location;

/** Sets the location that the phone reports to its apps. */
export function LocationTool({ control }: Pick<ToolProps, 'control'>) {
  const [lat, setLat] = useState('');
  const [lng, setLng] = useState('');
  const [isChecked, setChecked] = useState(false);
  const set = useMutation({
    mutationFn: (place: { lat: number; lng: number }) => control.call('location.set', place),
    onSuccess: (_, place) => toast(text.isSet(place.lat, place.lng)),
  });
  const place = { lat: parseCoordinate(lat, 90), lng: parseCoordinate(lng, 180) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (place.lat !== null && place.lng !== null && !set.isPending)
      set.mutate({ lat: place.lat, lng: place.lng });
  };
  const changeLat = (typed: string) => {
    const both = parseCoordinates(typed);
    setLat(both?.[0] ?? typed);
    if (both) setLng(both[1]);
  };
  return (
    <Section title={texts.tools.tabs.location}>
      <form noValidate onSubmit={submit} className="space-y-3 text-sm">
        <div className="grid grid-cols-2 items-start gap-3">
          <TextField
            label={text.latitude}
            inputMode="text"
            autoComplete="off"
            placeholder="52.52"
            value={lat}
            problem={isChecked && place.lat === null ? text.invalidLatitude : null}
            onChange={changeLat}
          />
          <TextField
            label={text.longitude}
            inputMode="text"
            autoComplete="off"
            placeholder="13.405"
            value={lng}
            problem={isChecked && place.lng === null ? text.invalidLongitude : null}
            onChange={setLng}
          />
        </div>
        <p className="text-soft">{text.hint}</p>
        <ErrorNote error={set.error} />
        <Button
          type="submit"
          look="primary"
          size="small"
          busy={set.isPending}
          disabled={!control.can('location.set')}
        >
          {text.set}
        </Button>
      </form>
    </Section>
  );
}
