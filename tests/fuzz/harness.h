/* One input for libFuzzer; with -DREPLAY a program that takes files and says of each whether it was accepted. */
#ifndef REPLAY

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)accepted(data, size);
    return 0;
}

#else

int main(int argc, char **argv)
{
    static uint8_t data[1 << 20];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            perror(argv[i]);
            return 2;
        }
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        puts(accepted(data, size) ? "accepted" : "refused");
    }
    return 0;
}

#endif
