/** The frame around every screen: pairing, connection, navigation, shortcuts. */
export { Shell } from './shell';
