/**
 * The scripted vendor: an agent that follows a script instead of a model. It drives fast journeys, the demo and the
 * screenshots, and proves that the port is enough: it uses nothing another vendor could not.
 */
export { type ScriptedOptions, scripted } from './vendor';
