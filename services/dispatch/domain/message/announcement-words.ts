import type { Language } from "../../../contracts/guild-settings.contract.ts";
import { CLDR_FORMATS } from "./words/cldr-formats.ts";
import { cldrWords } from "./words/cldr-words.ts";
import type { AnnouncementWords } from "./words/message-words.ts";
import { TERMS_B_TO_H } from "./words/terms-b-to-h.ts";
import { TERMS_I_TO_V } from "./words/terms-i-to-v.ts";
import { english, japanese, portuguese, spanish } from "./words/written-languages.ts";

/**
 * The words of each language (D10, D70). They are fixed here because the tables of a runtime change with its version: replicas of
 * two versions would edit each other's messages.
 */
export const ANNOUNCEMENT_WORDS: Readonly<Record<Language, AnnouncementWords>> = {
  BULGARIAN: cldrWords(CLDR_FORMATS.BULGARIAN, TERMS_B_TO_H.BULGARIAN),
  CHINESE_SIMPLIFIED: cldrWords(CLDR_FORMATS.CHINESE_SIMPLIFIED, TERMS_B_TO_H.CHINESE_SIMPLIFIED),
  CHINESE_TRADITIONAL: cldrWords(CLDR_FORMATS.CHINESE_TRADITIONAL, TERMS_B_TO_H.CHINESE_TRADITIONAL),
  CROATIAN: cldrWords(CLDR_FORMATS.CROATIAN, TERMS_B_TO_H.CROATIAN),
  CZECH: cldrWords(CLDR_FORMATS.CZECH, TERMS_B_TO_H.CZECH),
  DANISH: cldrWords(CLDR_FORMATS.DANISH, TERMS_B_TO_H.DANISH),
  DUTCH: cldrWords(CLDR_FORMATS.DUTCH, TERMS_B_TO_H.DUTCH),
  ENGLISH: english,
  FINNISH: cldrWords(CLDR_FORMATS.FINNISH, TERMS_B_TO_H.FINNISH),
  FRENCH: cldrWords(CLDR_FORMATS.FRENCH, TERMS_B_TO_H.FRENCH),
  GERMAN: cldrWords(CLDR_FORMATS.GERMAN, TERMS_B_TO_H.GERMAN),
  GREEK: cldrWords(CLDR_FORMATS.GREEK, TERMS_B_TO_H.GREEK),
  HINDI: cldrWords(CLDR_FORMATS.HINDI, TERMS_B_TO_H.HINDI),
  HUNGARIAN: cldrWords(CLDR_FORMATS.HUNGARIAN, TERMS_B_TO_H.HUNGARIAN),
  INDONESIAN: cldrWords(CLDR_FORMATS.INDONESIAN, TERMS_I_TO_V.INDONESIAN),
  ITALIAN: cldrWords(CLDR_FORMATS.ITALIAN, TERMS_I_TO_V.ITALIAN),
  JAPANESE: japanese,
  KOREAN: cldrWords(CLDR_FORMATS.KOREAN, TERMS_I_TO_V.KOREAN),
  LITHUANIAN: cldrWords(CLDR_FORMATS.LITHUANIAN, TERMS_I_TO_V.LITHUANIAN),
  NORWEGIAN: cldrWords(CLDR_FORMATS.NORWEGIAN, TERMS_I_TO_V.NORWEGIAN),
  POLISH: cldrWords(CLDR_FORMATS.POLISH, TERMS_I_TO_V.POLISH),
  PORTUGUESE: portuguese,
  ROMANIAN: cldrWords(CLDR_FORMATS.ROMANIAN, TERMS_I_TO_V.ROMANIAN),
  RUSSIAN: cldrWords(CLDR_FORMATS.RUSSIAN, TERMS_I_TO_V.RUSSIAN),
  SPANISH: spanish,
  SWEDISH: cldrWords(CLDR_FORMATS.SWEDISH, TERMS_I_TO_V.SWEDISH),
  THAI: cldrWords(CLDR_FORMATS.THAI, TERMS_I_TO_V.THAI),
  TURKISH: cldrWords(CLDR_FORMATS.TURKISH, TERMS_I_TO_V.TURKISH),
  UKRAINIAN: cldrWords(CLDR_FORMATS.UKRAINIAN, TERMS_I_TO_V.UKRAINIAN),
  VIETNAMESE: cldrWords(CLDR_FORMATS.VIETNAMESE, TERMS_I_TO_V.VIETNAMESE),
};
