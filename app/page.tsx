import { Board } from './_features/board';

export default function Page() {
  return <Board />;
}
