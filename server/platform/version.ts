import { version } from '../../package.json';

/** The version of this build, from the one place that holds it. */
export const VERSION: string = version;
