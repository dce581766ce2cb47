import * as TypeBox from 'typebox'

/**
 * What is used here of TypeBox. The build makes one file of this module and all that it imports: the 700 modules of the
 * package take a quarter of a second to load, which every start of a service would wait for.
 */
export const Type = {
  Array: TypeBox.Array,
  Boolean: TypeBox.Boolean,
  Integer: TypeBox.Integer,
  Literal: TypeBox.Literal,
  Null: TypeBox.Null,
  Number: TypeBox.Number,
  Object: TypeBox.Object,
  Optional: TypeBox.Optional,
  Partial: TypeBox.Partial,
  Refine: TypeBox.Refine,
  String: TypeBox.String,
  Unsafe: TypeBox.Unsafe,
}

export type {
  Static,
  TInteger,
  TNumber,
  TNumberOptions,
  TObject,
  TProperties,
  TSchema,
  TString,
  TStringOptions,
  TUnsafe,
} from 'typebox'
export { Compile } from 'typebox/compile'
