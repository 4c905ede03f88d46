import { Device } from './kit/device';
import { until } from './kit/host';
import { expect, test } from './kit/test';

test('an ended session leaves the board, is found in the history with its conversation, and comes back when it is resumed', async ({
  host,
  desk,
}) => {
  const device = await (await Device.enrol(await host.link())).connect();
  const project = await device.project(await host.repository());
  const session = await device.start(project, 'say the words of old', { name: 'Old work' });
  await until('it waits', () =>
    ['finished', 'idle'].includes(device.board.sessions.get(session.id)?.state ?? ''),
  );
  await expect(device.mutate('sessions.archive', { id: session.id, archived: true })).rejects.toThrow(
    /still runs/,
  );
  await device.mutate('sessions.end', { id: session.id });
  const ended = desk.getByRole('region', { name: 'Ended' });
  await ended.getByRole('button', { name: 'Show' }).click();
  await ended.getByRole('button', { name: 'Archive' }).click();
  await expect(ended).toHaveCount(0);
  await desk.getByRole('button', { name: 'Undo' }).click();
  await expect(ended).toBeVisible();
  await ended.getByRole('button', { name: 'Archive' }).click();
  await expect(ended).toHaveCount(0);
  await host.kill('SIGKILL');
  await host.start();
  await desk.goto(`${host.url}/history`);
  await desk.getByRole('searchbox').fill('nothing like it');
  await expect(desk.getByText('No ended session has these words')).toBeVisible();
  await desk.getByRole('searchbox').fill('old WORK');
  await desk.getByRole('link', { name: 'Old work' }).click();
  await expect(desk.getByText('the words of old', { exact: true })).toBeVisible();
  await expect(desk.getByText('The agent has ended: this goes out when it is resumed')).toBeVisible();
  await desk.getByRole('button', { name: 'Resume' }).click();
  await desk.goto(host.url);
  await expect(desk.getByRole('main').getByRole('link', { name: 'Old work' })).toBeVisible();
  device.close();
});
