'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeviceRow } from '@/server/api/services';
import { api, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { Queries, trpc } from '../../_client/queries';
import { toast } from '../../_ui/asks';
import { elapsed } from '../../_ui/elapsed';
import { useNow } from '../../_ui/use-now';

function Row({ device, onRevoked }: { device: DeviceRow; onRevoked: () => void }) {
  const now = useNow();
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const revoke = async () => {
    setBusy(true);
    try {
      await api().devices.revoke.mutate({ id: device.id });
      toast(`Removed ${device.label}.`);
      onRevoked();
    } catch (error) {
      toast(problemText(error));
      setBusy(false);
      setSure(false);
    }
  };
  return (
    <li className="ck device">
      <span className={device.you ? 'ok' : 'hint'} aria-hidden="true">
        {device.you ? '●' : '○'}
      </span>
      <span>{device.label}</span>
      <span className="hint">
        {device.you
          ? 'this browser'
          : device.lastSeen
            ? `seen ${elapsed(now - device.lastSeen)} ago`
            : 'never seen'}
        {' · may '}
        {device.scopes.join(', ')}
      </span>
      {sure ? (
        <span className="sure">
          <span className="hint">
            {device.you ? 'You will need a new link to get in.' : 'It is cut off at once, for good.'}
          </span>
          <button type="button" className="btn ghost" onClick={() => setSure(false)}>
            Keep
          </button>
          <button type="button" className="btn danger" disabled={busy} onClick={() => void revoke()}>
            Remove
          </button>
        </span>
      ) : (
        <button type="button" className="btn ghost" onClick={() => setSure(true)}>
          Remove …
        </button>
      )}
    </li>
  );
}

function List() {
  const board = useBoard();
  const client = useQueryClient();
  const devices = useQuery(trpc.devices.list.queryOptions(undefined, { enabled: board.ready }));
  const shown = (devices.data ?? [])
    .filter((device) => device.revoked === null)
    .sort((a, b) => Number(b.you) - Number(a.you) || (b.lastSeen ?? 0) - (a.lastSeen ?? 0));
  return (
    <section className="panel" aria-label="Devices">
      <h2>
        Devices <small>browsers that can get in</small>
      </h2>
      {devices.error ? <p className="note problem">{problemText(devices.error)}</p> : null}
      {devices.isPending ? <p className="note">Looking …</p> : null}
      <ul className="plain">
        {shown.map((device) => (
          <Row
            key={device.id}
            device={device}
            onRevoked={() => void client.invalidateQueries({ queryKey: trpc.devices.list.queryKey() })}
          />
        ))}
      </ul>
    </section>
  );
}

export const Devices = () => (
  <Queries>
    <List />
  </Queries>
);
