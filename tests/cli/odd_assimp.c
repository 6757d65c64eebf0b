/* An assimp that misbehaves, by the name of the file that it is to read: "crash", "hang", "greedy", which wants a GiB.
 * It refuses all others. Its version is 5.$ODD_MINOR. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *aiImportFileExWithProperties(const char *path);
const char *aiGetErrorString(void);
unsigned aiGetVersionMajor(void), aiGetVersionMinor(void), aiGetVersionPatch(void);

static int is_greedy;

void *aiImportFileExWithProperties(const char *path)
{
    if (strstr(path, "crash"))
        abort();
    if (strstr(path, "greedy") && mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
        abort();
    is_greedy = strstr(path, "greedy") != NULL;
    while (strstr(path, "hang"))
        pause(); /* it costs other tests nothing */
    return NULL;
}

const char *aiGetErrorString(void)
{
    return is_greedy ? "std::bad_alloc" : "odd";
}

unsigned aiGetVersionMajor(void)
{
    return 5;
}

unsigned aiGetVersionMinor(void)
{
    const char *minor = getenv("ODD_MINOR");
    return minor ? (unsigned)strtoul(minor, NULL, 10) : 0;
}

unsigned aiGetVersionPatch(void)
{
    return 0;
}

#define NOTHING(name)                                                                                             \
    void *name(void);                                                                                             \
    void *name(void)                                                                                              \
    {                                                                                                             \
        return NULL;                                                                                              \
    }
NOTHING(aiReleaseImport)
NOTHING(aiApplyPostProcessing)
NOTHING(aiCreatePropertyStore)
NOTHING(aiReleasePropertyStore)
NOTHING(aiSetImportPropertyInteger)
NOTHING(aiSetImportPropertyFloat)
NOTHING(aiAttachLogStream)
NOTHING(aiDetachAllLogStreams)
NOTHING(aiGetMaterialFloatArray)
NOTHING(aiGetMaterialIntegerArray)
NOTHING(aiGetMaterialColor)
NOTHING(aiGetMaterialString)
NOTHING(aiGetMaterialTexture)
NOTHING(aiDecomposeMatrix)
NOTHING(aiMultiplyMatrix4)
