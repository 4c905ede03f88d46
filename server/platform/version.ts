import about from '../../package.json' with { type: 'json' };

/** The version of this build, from the one place that holds it. */
export const VERSION: string = about.version;
