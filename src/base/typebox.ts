/**
 * TypeBox. The build makes one file of this module and all that it imports: the 700 modules of the package take a
 * quarter of a second to load, which every start of a service would wait for.
 */
export * from 'typebox'
export { Compile } from 'typebox/compile'
