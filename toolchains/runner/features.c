/* What IsProcessorFeaturePresent says of the features above 63, which Wine's version of the runner does not know. The runner
   writes this function into the arm64 ntdll.dll, behind its code, and leads RtlIsProcessorFeaturePresent here where it would
   have said no. The numbers are those of winnt.h; the fields are those of the Arm Architecture Reference Manual. A program may
   read the registers itself, since the emulator answers as Linux does. Nothing here may need a relocation. */

#define READ(encoding) ({ unsigned long long value; __asm__("mrs %0, " encoding : "=r"(value)); value; })
#define FIELD(encoding, bit) (READ(encoding) >> (bit) & 15)
#define PFR0 "S3_0_C0_C4_0"
#define PFR1 "S3_0_C0_C4_1"
#define SMFR0 "S3_0_C0_C4_5"
#define ISAR0 "S3_0_C0_C6_0"
#define ISAR1 "S3_0_C0_C6_1"

unsigned feature(unsigned number)
{
    switch (number) {
    case 64: return FIELD(ISAR0, 32) >= 1; /* SHA3 */
    case 65: return FIELD(ISAR0, 12) >= 2; /* SHA2: SHA512 */
    case 66: return FIELD(ISAR1, 52) >= 1; /* I8MM */
    case 67: return FIELD(PFR0, 20) == 1; /* AdvSIMD: half precision; 15 is its absence */
    case 68: return FIELD(ISAR1, 44) >= 1; /* BF16 */
    case 69: return FIELD(ISAR1, 44) >= 2; /* BF16: EBF16 */
    case 70: return FIELD(PFR1, 24) >= 1; /* SME */
    case 71: return FIELD(PFR1, 24) >= 2; /* SME: SME2 */
    case 85: return FIELD(SMFR0, 48) & 1; /* F64F64 */
    case 86: return FIELD(SMFR0, 52) == 15; /* I16I64 */
    case 88: return READ(SMFR0) >> 63; /* FA64 */
    default: return 0;
    }
}
