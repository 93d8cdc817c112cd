// What OpenCV computes, one line per result: its name, and numbers. The picture is made here, from arithmetic alone, so that every
// machine begins with the same bytes. Results that are integers are written as a hash of all of them; others as a few numbers, for they
// may differ in their last digits from processor to processor.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <opencv2/opencv.hpp>
#include <opencv2/dnn.hpp>
#include <opencv2/geometry.hpp>
#include <opencv2/stereo.hpp>

namespace {

// FNV-1a, 64 bits.
uint64_t hash(const uint8_t *bytes, size_t length, uint64_t from = 0xcbf29ce484222325u)
{
    for (size_t i = 0; i < length; i++)
        from = (from ^ bytes[i]) * 0x100000001b3u;
    return from;
}

uint64_t hash(const cv::Mat &mat)
{
    uint64_t all = 0xcbf29ce484222325u;
    for (int row = 0; row < mat.rows; row++)
        all = hash(mat.ptr(row), mat.cols * mat.elemSize(), all);
    return all;
}

void exact(const char *name, const cv::Mat &mat)
{
    std::printf("= %s %dx%d %016" PRIx64 "\n", name, mat.cols, mat.rows, hash(mat));
}

void exact(const char *name, const std::vector<uint8_t> &bytes)
{
    std::printf("= %s %zu %016" PRIx64 "\n", name, bytes.size(), hash(bytes.data(), bytes.size()));
}

void exact(const char *name, const std::string &text)
{
    std::printf("= %s %s\n", name, text.c_str());
}

void about(const char *name, const std::vector<double> &numbers)
{
    std::printf("~ %s", name);
    for (double number : numbers)
        std::printf(" %.9g", number);
    std::printf("\n");
}

// The mean, the deviation and the extremes of what floating-point arithmetic made.
void measure(const char *name, const cv::Mat &mat)
{
    cv::Mat flat = mat.reshape(1), wide;
    flat.convertTo(wide, CV_64F);
    cv::Scalar mean, deviation;
    cv::meanStdDev(wide, mean, deviation);
    double least = 0, most = 0;
    cv::minMaxLoc(wide, &least, &most);
    about(name, {mean[0], deviation[0], least, most});
}

// 320 by 240 in three colours: ramps, a checkered board, circles and noise.
cv::Mat picture()
{
    cv::Mat image(240, 320, CV_8UC3);
    uint32_t noise = 1;
    for (int y = 0; y < image.rows; y++)
        for (int x = 0; x < image.cols; x++) {
            noise = noise * 1664525u + 1013904223u;
            int ring = ((x - 160) * (x - 160) + (y - 120) * (y - 120)) / 700 % 2;
            int board = (x / 20 + y / 20) % 2;
            image.at<cv::Vec3b>(y, x) = cv::Vec3b(
                (uint8_t)(x * 255 / 319), (uint8_t)(ring * 160 + (noise >> 28)), (uint8_t)(board * 200 + y / 6));
        }
    return image;
}

void core(const cv::Mat &image)
{
    cv::Mat channels[3], sum, wide, back;
    cv::split(image, channels);
    cv::addWeighted(channels[0], 0.25, channels[1], 0.75, 3, sum);
    exact("addWeighted", sum);
    cv::absdiff(channels[0], channels[2], sum);
    exact("absdiff", sum);
    image.convertTo(wide, CV_16S, 3.5, -100);
    exact("convertTo", wide);
    cv::Mat table(1, 256, CV_8U), looked;
    for (int i = 0; i < 256; i++)
        table.at<uint8_t>(i) = (uint8_t)(i * 7 % 256);
    cv::LUT(image, table, looked);
    exact("LUT", looked);
    channels[0].convertTo(wide, CV_32F);
    cv::dft(wide, back);
    measure("dft", back);
    cv::Mat half;
    wide.convertTo(half, CV_16F);
    exact("half", half);
    cv::Mat square(cv::Matx33d(4, 1, 2, 1, 5, 3, 2, 3, 6)), inverse, w, u, vt;
    cv::invert(square, inverse);
    measure("invert", inverse);
    cv::SVD::compute(square, w, u, vt);
    measure("svd", w);
    about("determinant", {cv::determinant(square)});
    cv::Mat product;
    cv::gemm(wide(cv::Rect(0, 0, 64, 48)), wide(cv::Rect(0, 0, 48, 64)), 0.001, cv::noArray(), 0, product);
    measure("gemm", product);
    cv::Mat random(50, 50, CV_32S);
    cv::RNG generator(7);
    generator.fill(random, cv::RNG::UNIFORM, -1000, 1000);
    exact("rng", random);
    // Each stripe is one thread's.
    cv::Mat striped(240, 320, CV_8U);
    cv::parallel_for_(cv::Range(0, 240), [&](const cv::Range &range) {
        for (int row = range.start; row < range.end; row++)
            striped.row(row).setTo(row % 251);
    });
    exact("parallel_for_", striped);
}

void imgproc(const cv::Mat &image)
{
    cv::Mat gray, made, labels;
    cv::cvtColor(image, gray, cv::COLOR_BGR2GRAY);
    exact("gray", gray);
    for (auto [name, code] : {std::pair("ycrcb", cv::COLOR_BGR2YCrCb), std::pair("hsv", cv::COLOR_BGR2HSV), std::pair("i420", cv::COLOR_BGR2YUV_I420)}) {
        cv::cvtColor(image, made, code);
        exact(name, made);
    }
    cv::cvtColor(image, made, cv::COLOR_BGR2Lab);
    measure("lab", made);
    cv::GaussianBlur(gray, made, cv::Size(5, 5), 0);
    exact("blur", made);
    cv::medianBlur(gray, made, 5);
    exact("median", made);
    cv::bilateralFilter(gray, made, 5, 50, 50);
    measure("bilateral", made);
    cv::Canny(gray, made, 80, 160);
    exact("canny", made);
    cv::Sobel(gray, made, CV_16S, 1, 0);
    exact("sobel", made);
    cv::erode(gray, made, cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(7, 7)));
    exact("erode", made);
    exact("otsu", std::to_string((int)cv::threshold(gray, made, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU)));
    exact("components", std::to_string(cv::connectedComponents(made, labels)));
    std::vector<std::vector<cv::Point>> contours;
    cv::findContours(made, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
    exact("contours", std::to_string(contours.size()));
    cv::distanceTransform(made, made, cv::DIST_L2, 5);
    measure("distance", made);
    cv::equalizeHist(gray, made);
    exact("equalizeHist", made);
    for (auto [name, how] : {std::pair("nearest", cv::INTER_NEAREST), std::pair("linear", cv::INTER_LINEAR), std::pair("area", cv::INTER_AREA)}) {
        cv::resize(image, made, cv::Size(160, 90), 0, 0, how);
        exact(name, made);
    }
    cv::resize(image, made, cv::Size(160, 90), 0, 0, cv::INTER_CUBIC);
    measure("cubic", made);
    cv::warpAffine(image, made, cv::getRotationMatrix2D(cv::Point2f(160, 120), 30, 1.2), image.size());
    measure("warpAffine", made);
    cv::integral(gray, made);
    exact("integral", made);
    cv::matchTemplate(gray, gray(cv::Rect(100, 80, 24, 24)), made, cv::TM_CCOEFF_NORMED);
    measure("matchTemplate", made);
    cv::putText(made = image.clone(), "Windlass", cv::Point(20, 120), cv::FONT_HERSHEY_SIMPLEX, 1, cv::Scalar(255, 255, 255), 2);
    exact("putText", made);
}

void imgcodecs(const cv::Mat &image)
{
    // These keep every bit, or are written with integers alone; their bytes are the same everywhere.
    for (const char *suffix : {".png", ".bmp", ".ppm", ".tiff", ".gif", ".jpg", ".webp", ".jp2"}) {
        std::vector<uint8_t> bytes;
        std::vector<int> how;
        if (std::string(suffix) == ".webp")
            how = {cv::IMWRITE_WEBP_QUALITY, 101};
        cv::imencode(suffix, image, bytes, how);
        exact(suffix + 1, bytes);
        cv::Mat back = cv::imdecode(bytes, cv::IMREAD_COLOR);
        double difference = back.empty() ? -1 : cv::norm(back, image, cv::NORM_INF);
        exact((std::string(suffix + 1) + "-difference").c_str(), std::to_string((int)difference));
    }
}

void features(const cv::Mat &image)
{
    cv::Mat gray, descriptors;
    cv::cvtColor(image, gray, cv::COLOR_BGR2GRAY);
    std::vector<cv::Point2f> corners;
    cv::goodFeaturesToTrack(gray, corners, 100, 0.01, 10);
    exact("corners", std::to_string(corners.size()));
    std::vector<cv::KeyPoint> points;
    cv::ORB::create(200)->detectAndCompute(gray, cv::noArray(), points, descriptors);
    about("orb", {(double)points.size(), (double)descriptors.rows, (double)descriptors.cols});
    std::vector<cv::KeyPoint> fast;
    cv::FAST(gray, fast, 40);
    exact("fast", std::to_string(fast.size()));
    std::vector<cv::Point2f> from = {{0, 0}, {100, 5}, {90, 110}, {-4, 95}, {50, 50}}, to, status_points;
    for (auto point : from)
        to.push_back({point.x * 1.1f + point.y * 0.1f + 3, point.y * 0.9f - 2});
    measure("homography", cv::findHomography(from, to));
    cv::Mat moved, found;
    cv::warpAffine(gray, moved, cv::Matx23d(1, 0, 2.5, 0, 1, -1.5), gray.size());
    std::vector<uint8_t> status;
    std::vector<float> error;
    cv::calcOpticalFlowPyrLK(gray, moved, corners, status_points, status, error);
    double x = 0, y = 0, count = 0;
    for (size_t i = 0; i < corners.size(); i++)
        if (status[i]) {
            x += status_points[i].x - corners[i].x;
            y += status_points[i].y - corners[i].y;
            count++;
        }
    about("flow", {x / count, y / count});
    cv::Mat disparity;
    cv::StereoBM::create(16, 9)->compute(gray, moved, disparity);
    exact("stereo", disparity);
}

void objdetect()
{
    cv::Mat code, large;
    cv::QRCodeEncoder::create()->encode("Windlass on every target", code);
    exact("qr", code);
    cv::resize(code, large, cv::Size(), 8, 8, cv::INTER_NEAREST);
    exact("qr-text", cv::QRCodeDetector().detectAndDecode(large));
}

void photo(const cv::Mat &image)
{
    cv::Mat gray, mask(image.size(), CV_8U, cv::Scalar(0)), made;
    cv::cvtColor(image, gray, cv::COLOR_BGR2GRAY);
    mask(cv::Rect(50, 50, 20, 20)).setTo(255);
    cv::inpaint(gray, mask, made, 3, cv::INPAINT_TELEA);
    measure("inpaint", made);
    cv::fastNlMeansDenoising(gray(cv::Rect(0, 0, 80, 60)), made);
    exact("denoise", made);
}

void video(const cv::Mat &image, const std::string &folder)
{
    for (auto [name, backend, codec] : {
             std::tuple("mjpg.avi", cv::CAP_OPENCV_MJPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G')),
             std::tuple("ffv1.mkv", cv::CAP_FFMPEG, cv::VideoWriter::fourcc('F', 'F', 'V', '1'))}) {
        std::string path = folder + "/" + name;
        {
            cv::VideoWriter writer(path, backend, codec, 25, image.size());
            for (int i = 0; i < 5; i++) {
                cv::Mat frame = image.clone();
                cv::circle(frame, cv::Point(40 + i * 30, 120), 20, cv::Scalar(0, 255, 255), -1);
                writer.write(frame);
            }
        }
        cv::VideoCapture reader(path, backend);
        cv::Mat frame;
        int frames = 0;
        double sum = 0;
        while (reader.read(frame)) {
            frames++;
            sum += cv::mean(frame)[1];
        }
        exact(name, std::to_string(frames) + " frames");
        about((std::string(name) + "-mean").c_str(), {sum / frames});
    }
}

// The model and its picture are those that onnxruntime computes with, in tests/wheels/model.py.
void dnn(const std::string &model)
{
    cv::Mat input({1, 1, 6, 6}, CV_32F);
    for (int i = 0; i < 36; i++)
        input.ptr<float>()[i] = (i * 17 % 23 - 11) / 8.f;
    cv::dnn::Net net = cv::dnn::readNetFromONNX(model);
    net.setInput(input);
    std::vector<cv::Mat> made;
    net.forward(made, std::vector<std::string>{"scores", "chances"});
    for (const cv::Mat &numbers : made)
        about("onnx", {numbers.ptr<float>(), numbers.ptr<float>() + numbers.total()});
}

// An exception is thrown in one library, passes through another, and is caught here.
void exceptions(const cv::Mat &image)
{
    try {
        cv::Mat made;
        cv::GaussianBlur(image, made, cv::Size(4, 4), 0);
        exact("exception", "none");
    } catch (const cv::Exception &e) {
        exact("exception", std::to_string(e.code));
    }
    try {
        cv::imdecode(cv::Mat(), cv::IMREAD_COLOR);
        exact("exception-codecs", "none");
    } catch (const std::exception &) {
        exact("exception-codecs", "std::exception");
    }
}

} // namespace

int main(int count, char **words)
{
    if (count != 3) {
        std::fprintf(stderr, "usage: program FOLDER MODEL\n");
        return 2;
    }
    cv::Mat image = picture();
    exact("version", cv::getVersionString());
    exact("picture", image);
    core(image);
    imgproc(image);
    imgcodecs(image);
    features(image);
    objdetect();
    photo(image);
    video(image, words[1]);
    dnn(words[2]);
    exceptions(image);
    std::fflush(stdout);
    return 0;
}
